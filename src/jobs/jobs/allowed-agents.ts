import { Level } from '../../core/access/levels.ts';
import { traversalIds } from '../../core/access/store.ts';
import type { Core } from '../../core/core.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import type { User } from '../../core/tables.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import { readDefinition } from '../creation/stored-definition.ts';
import { findDefinition } from '../processing/store.ts';
import type { JobRow } from '../tables.ts';
import { environmentTier } from '../variables/environment.ts';
import { environmentSlug } from '../variables/slug.ts';

const Identified = Type.Object({ id: Type.Integer() });

/** Which Kubernetes agents a job may use, and who it is: what the agents' own service decides by. */
export const AllowedAgents = Type.Object(
  {
    allowed_agents: Type.Array(
      Type.Object({
        id: Type.Integer(),
        config_project: Identified,
        configuration: Type.Object({}),
      }),
    ),
    job: Identified,
    pipeline: Identified,
    project: Type.Object({ id: Type.Integer(), groups: Type.Array(Identified) }),
    user: Type.Object({
      id: Type.Integer(),
      username: Type.String(),
      roles_in_project: Type.Array(Type.String()),
    }),
    environment: Type.Optional(Type.Object({ slug: Type.String(), tier: Type.String() })),
  },
  { $id: 'AllowedAgents' },
);

/** There are no agents here, so that none is allowed; who asks is told all the same. */
export async function presentAllowedAgents(
  core: Core,
  { job, project, user }: { job: JobRow; project: ProjectWithNamespace; user: User },
): Promise<Static<typeof AllowedAgents>> {
  const [levels, environment] = await Promise.all([
    core.access.levels({ user, admin: false }, [project]),
    environmentOf(core, job),
  ]);
  const level = levels.get(project.id)?.effective ?? Level.none;
  return {
    allowed_agents: [],
    job: { id: job.id },
    pipeline: { id: job.pipeline_id },
    project: { id: project.id, groups: groupsOf(project) },
    user: { id: user.id, username: user.username, roles_in_project: rolesUpTo(level) },
    ...(environment && { environment }),
  };
}

/** The nearest first; a personal project has none. */
const groupsOf = ({ namespace_kind: kind, traversal }: ProjectWithNamespace) =>
  kind === 'group'
    ? traversalIds(traversal)
        .toReversed()
        .map((id) => ({ id }))
    : [];

const ROLES = ['guest', 'planner', 'reporter', 'developer', 'maintainer', 'owner'] as const;

/** A role comes with all below it. */
const rolesUpTo = (level: number): string[] => ROLES.filter((role) => Level[role] <= level);

async function environmentOf({ db }: Core, { id, environment }: JobRow) {
  if (environment === null) return undefined;
  const orders = await findDefinition(db, id);
  const plan = orders ? readDefinition(orders).environment : null;
  return { slug: environmentSlug(environment), tier: environmentTier(environment, plan) };
}
