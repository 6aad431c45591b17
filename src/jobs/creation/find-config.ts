import { projectSettings } from '../../core/projects/settings.ts';
import { gitPlace } from '../config/git-place.ts';
import type { ConfigPlace } from '../config/source.ts';
import { actingAs } from './act-as.ts';
import type { CreationDeps, PipelineRequest, Refusal } from './request.ts';

const DEFAULT_PATH = '.gitlab-ci.yml';

export interface FoundConfig {
  content: string;
  place: ConfigPlace;
}

/** The configuration of a commit: the file that the project's settings name, in the commit itself, in another project or elsewhere. */
export async function findConfig(
  { core }: CreationDeps,
  { project, sha, actor }: Pick<PipelineRequest, 'project' | 'sha' | 'actor'>,
): Promise<FoundConfig | Refusal> {
  const path = projectSettings(project).ci_config_path?.trim() || DEFAULT_PATH;
  const own = gitPlace(core, { project, fullPath: project.full_path, sha, user: actingAs(actor.user) });
  // as if the commit had a file that includes it, so that the same rules hold for both
  if (/^https?:/i.test(path)) return { content: JSON.stringify({ include: [{ remote: path }] }), place: own };
  const elsewhere = /^(.+?)@([^:]+)(?::(.+))?$/.exec(path);
  const place = elsewhere ? await own.other(elsewhere[2]!, elsewhere[3] ?? null) : own;
  const content =
    typeof place === 'string' ? null : await place.read((elsewhere?.[1] ?? path).replace(/^\//, ''));
  if (content === null || typeof place === 'string') return MISSING;
  return { content, place };
}

const MISSING: Refusal = { refused: 'no config', messages: ['Missing CI config file'] };
