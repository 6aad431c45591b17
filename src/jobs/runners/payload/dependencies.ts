import type { Access } from '../../../core/access/access.ts';
import type { Core } from '../../../core/core.ts';
import { findProject } from '../../../core/projects/find.ts';
import { findProjectById } from '../../../core/projects/store.ts';
import type { User } from '../../../core/tables.ts';
import { artifactsOf } from '../../artifacts/store.ts';
import type { CrossNeed } from '../../config/plan.ts';
import type { StoredDefinition } from '../../creation/stored-definition.ts';
import { dotenvVariables } from '../../reports/dotenv-store.ts';
import type { JobRow, PipelineRow } from '../../tables.ts';
import { type JobVariable, openVariables } from '../../variables/variable.ts';
import { earlierJobs, endedJob, findPipelineById, neededJobs, newestSuccess } from './dependencies-store.ts';

type Db = Core['db'];

/** A job whose files are fetched before the script runs. */
export interface Dependency {
  id: number;
  name: string;
  /** Absent where the job has no archive: the runner passes over it, but its variables count. */
  archive: { filename: string; size: number } | null;
}

/** Some of the files that a job relies on are there no more. */
export class MissingDependency extends Error {
  override name = 'MissingDependency';
}

interface Dependent {
  job: JobRow;
  definition: StoredDefinition;
}

/** The jobs of its own pipeline whose artifacts the job fetches. Throws MissingDependency where some have been erased or expired. */
export async function localDependencies(
  db: Db,
  { job, definition }: Dependent,
  now: number,
): Promise<Dependency[]> {
  const { dependencies } = definition;
  const all = job.scheduling === 'dag' ? await neededJobs(db, job) : await earlierJobs(db, job);
  const named = dependencies === null ? all : all.filter(({ name }) => dependencies.includes(name));
  const found = await withArchives(db, named);
  if (found.some(({ row, archive }) => isGone(row, archive, now))) throw new MissingDependency();
  return found.map(({ row, archive }) => ({ id: row.id, name: row.name, archive }));
}

async function withArchives(db: Db, jobs: readonly JobRow[]) {
  const artifacts = await artifactsOf(
    db,
    jobs.map(({ id }) => id),
  );
  return jobs.map((row) => {
    const archive = artifacts.get(row.id)?.find(({ file_type: type }) => type === 'archive');
    return { row, archive: archive ? { filename: archive.filename, size: archive.size } : null };
  });
}

/** Whether the job had files that it has lost. One that expired but is kept as the latest is still there. */
const isGone = (job: JobRow, archive: Dependency['archive'], now: number): boolean =>
  job.erased_at !== null ||
  (archive === null && job.artifacts_expire_at !== null && job.artifacts_expire_at <= now);

/** What of the dotenv reports of these jobs reaches the one that depends on them. */
export async function inheritedVariables(
  db: Db,
  dependencies: readonly Dependency[],
): Promise<JobVariable[]> {
  const rows = await dotenvVariables(
    db,
    dependencies.map(({ id }) => id),
  );
  return rows.flatMap(({ key, value }) => openVariables({ [key]: value }));
}

interface CrossDeps {
  db: Db;
  access: Access;
}

/**
 * Artifacts of other pipelines, by `needs:project` and `needs:pipeline`; `expand` fills in the variables of the texts. What
 * the job's user may not read is not there. Throws MissingDependency where one has no archive.
 */
export async function crossDependencies(
  deps: CrossDeps,
  needs: readonly CrossNeed[],
  { user, pipeline, expand }: { user: User; pipeline: PipelineRow; expand: (text: string) => string },
): Promise<Dependency[]> {
  const found: Dependency[] = [];
  for (const need of needs.filter(({ artifacts }) => artifacts)) {
    const source = await pipelineOf(deps, need, { user, pipeline, expand });
    const job = source && (await endedJob(deps.db, source.id, expand(need.job)));
    const [dependency] = job ? await withArchives(deps.db, [job]) : [];
    if (!dependency?.archive) throw new MissingDependency();
    found.push({ id: dependency.row.id, name: dependency.row.name, archive: dependency.archive });
  }
  return found;
}

async function pipelineOf(
  { db, access }: CrossDeps,
  need: CrossNeed,
  { user, pipeline, expand }: { user: User; pipeline: PipelineRow; expand: (text: string) => string },
): Promise<PipelineRow | undefined> {
  const found = await referredPipeline(db, need, pipeline, expand);
  if (!found) return undefined;
  const project = await findProjectById(db, found.project_id);
  const rights = project && (await access.project({ user, admin: user.is_admin === 1 }, project));
  return rights?.can('read_build') ? found : undefined;
}

/** Either of another project's branch, or a pipeline by its number within the same project. */
async function referredPipeline(
  db: Db,
  need: CrossNeed,
  pipeline: PipelineRow,
  expand: (text: string) => string,
): Promise<PipelineRow | undefined> {
  if (need.project !== null) {
    const place = await findProject(db, expand(need.project));
    const ref = expand(need.ref ?? '') || place?.project.default_branch;
    return place && ref ? newestSuccess(db, place.project.id, ref) : undefined;
  }
  const id = Number(expand(need.pipeline ?? ''));
  const other = Number.isSafeInteger(id) && id > 0 ? await findPipelineById(db, id) : undefined;
  return other?.project_id === pipeline.project_id ? other : undefined;
}
