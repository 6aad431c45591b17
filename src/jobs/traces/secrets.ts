import type { Core } from '../../core/core.ts';
import { findProjectById } from '../../core/projects/store.ts';
import { settingVariables } from '../variables/settings.ts';
import type { SecretsOf } from './job-facts.ts';

/** The values of masked variables that a job is given. Its runner covers them too; this is for runners that do not. */
export function maskedValues({ db }: Pick<Core, 'db'>): SecretsOf {
  return async (job) => {
    const project = await findProjectById(db, job.project_id);
    if (!project) return [];
    const { environment, protected: isProtected } = job;
    const variables = await settingVariables(db, { project, isProtected: isProtected === 1, environment });
    return variables.filter(({ masked }) => masked).map(({ value }) => value);
  };
}
