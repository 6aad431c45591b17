import type { CoreApi } from '../../../core/core.ts';
import type { ProjectWithNamespace } from '../../../core/projects/find.ts';
import { resolveRevision } from '../../../git/revision.ts';
import { fail } from '../../../platform/errors.ts';
import { Answer } from '../../../platform/http/answer.ts';
import { optional, param, params, withDefault } from '../../../platform/http/params.ts';
import { findConfig } from '../../creation/find-config.ts';
import { findTarget } from '../../creation/find-target.ts';
import type { CreationDeps, Refusal, Target } from '../../creation/request.ts';
import { gitPlace } from '../git-place.ts';
import { NO_CONTENT } from '../read-config.ts';
import { LintResult, presentInclude } from './entities.ts';
import { type TriedOut, tryOut } from './try-out.ts';

/** More than a configuration may have, so that a larger one is told so and not refused by the server. */
const BODY_LIMIT = 16 * 1024 * 1024;

const common = {
  dry_run: withDefault(param.boolean({ description: 'Plans the pipeline, too.' }), false),
  include_jobs: withDefault(param.boolean({ description: 'Shows the jobs.' }), false),
};

/** What is wrong with a configuration, and what it comes to. */
export function lintRoutes(api: CoreApi, deps: CreationDeps): void {
  const routes = api.room('lint');
  const { core } = deps;

  const target = async (
    project: ProjectWithNamespace,
    ref: string | null | undefined,
  ): Promise<Target | null> => {
    const name = ref || project.default_branch;
    const found = name ? await findTarget(core, project, name) : null;
    return found && 'refused' in found ? null : found;
  };

  routes.post('/projects/:id/ci/lint', {
    summary: 'Check a text as the CI/CD configuration of a project',
    params: params({
      id: param.string({ description: 'Number or URL-encoded path of the project.' }),
      content: param.string({ binary: true }),
      ref: optional(param.string({ description: 'The branch or tag of the planned pipeline.' })),
      ...common,
    }),
    responses: { 200: LintResult },
    bodyLimit: BODY_LIMIT,
    guard: core.guards.project('read_pipeline', 'update_build'),
    handler: async ({ guarded: { project }, caller: actor, params: asked, baseUrl, signal }) => {
      const at = await target(project, asked.ref);
      const sha = at?.sha ?? (await resolveRevision(core.repositoryOf(project), 'HEAD', signal));
      const place = gitPlace(core, { project, fullPath: project.full_path, sha, user: actor, signal });
      const { content, dry_run: dryRun } = asked;
      const result = await tryOut(deps, { content, place, actor, target: at, dryRun });
      return new Answer(200, await present(result, { baseUrl, jobs: asked.include_jobs }));
    },
  });

  routes.get('/projects/:id/ci/lint', {
    summary: 'Check the CI/CD configuration of a project',
    params: params({
      id: param.string({ description: 'Number or URL-encoded path of the project.' }),
      content_ref: optional(
        param.string({ description: 'The commit, branch or tag whose file is checked.' }),
      ),
      sha: optional(param.string({ description: 'The older name of `content_ref`.' })),
      dry_run_ref: optional(param.string({ description: 'The branch or tag of the planned pipeline.' })),
      ref: optional(param.string({ description: 'The older name of `dry_run_ref`.' })),
      ...common,
    }),
    responses: { 200: LintResult },
    guard: core.guards.repository(),
    handler: async ({ guarded: { project }, caller: actor, params: asked, baseUrl, signal }) => {
      const revision = asked.content_ref || asked.sha || project.default_branch || 'HEAD';
      const sha = await resolveRevision(core.repositoryOf(project), revision, signal);
      if (sha === null) throw fail.notFound('Commit');
      const at = await target(project, asked.dry_run_ref || asked.ref);
      const found = await findConfig(deps, { project, sha, actor });
      const result =
        'refused' in found
          ? missing(found)
          : await tryOut(deps, { ...found, actor, target: at, dryRun: asked.dry_run });
      return present(result, { baseUrl, jobs: asked.include_jobs });
    },
  });
}

const missing = ({ refused, messages }: Refusal): TriedOut => ({
  errors: refused === 'no config' ? [NO_CONTENT] : messages,
  warnings: [],
  includes: [],
  jobs: [],
  mergedYaml: async () => null,
});

async function present(result: TriedOut, { baseUrl, jobs }: { baseUrl: string; jobs: boolean }) {
  return {
    valid: result.errors.length === 0,
    errors: result.errors,
    warnings: result.warnings,
    merged_yaml: await result.mergedYaml(),
    includes: result.includes.map((file) => presentInclude(file, baseUrl)),
    ...(jobs && { jobs: result.jobs }),
  };
}
