import type { Core } from '../../core/core.ts';
import { findProjectById } from '../../core/projects/store.ts';
import type { ConfigVariable } from '../config/plan.ts';
import { readDefinition } from '../creation/stored-definition.ts';
import type { JobPorts } from '../ports.ts';
import type { JobRow } from '../tables.ts';
import { variablesForJob } from '../variables/for-job.ts';
import { findPipelineById } from './payload/dependencies-store.ts';
import { jobToTake } from './queue/queue-store.ts';

/** Values that must not stand in a job's log, beside its token: its masked variables. */
export function secretsOf(
  core: Pick<Core, 'db' | 'baseUrl' | 'repositoryOf'>,
  ports: JobPorts,
): (job: JobRow) => Promise<string[]> {
  return async ({ id }) => {
    const row = await jobToTake(core.db, id);
    if (!row) return [];
    const [pipeline, project] = await Promise.all([
      findPipelineById(core.db, row.pipeline_id),
      findProjectById(core.db, row.project_id),
    ]);
    if (!pipeline || !project) return [];
    const variables = await variablesForJob(core, ports, {
      job: row,
      pipeline,
      project,
      definition: readDefinition(row),
      variables: JSON.parse(row.variables) as ConfigVariable[],
      token: '',
      runner: null,
    });
    return variables.filter(({ masked, value }) => masked && value !== '').map(({ value }) => value);
  };
}
