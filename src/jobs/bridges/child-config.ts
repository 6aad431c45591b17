import { randomUUID } from 'node:crypto';
import type { Core } from '../../core/core.ts';
import { gitPlace } from '../config/git-place.ts';
import type { ConfigPlace } from '../config/source.ts';
import { expandText } from '../variables/expand.ts';
import type { Bridge } from './order.ts';

/** Files out of the archives of jobs. */
export interface ArtifactFiles {
  /** The text of a file that the newest job of this name in the pipeline has stored; null where there is none. */
  read(pipelineId: number, jobName: string, path: string): Promise<string | null>;
}

/**
 * The configuration of a child pipeline: one that includes what the bridge names, files of the commit, of other projects, and
 * such as earlier jobs have made. null where one of those is not there.
 */
export async function childConfig(
  core: Core,
  files: ArtifactFiles,
  { project, pipeline, trigger, known, actor }: Bridge,
): Promise<{ content: string; place: ConfigPlace } | null> {
  const generated = new Map<string, string>();
  // a folder that no commit has, nor anybody can name
  const folder = `generated-${randomUUID()}`;
  const include: object[] = [];
  for (const [index, each] of trigger.include.entries()) {
    const inputs = each.inputs ? { inputs: each.inputs } : {};
    if ('artifact' in each) {
      const text = await files.read(pipeline.id, each.job, expandText(each.artifact, known));
      if (text === null) return null;
      const local = `${folder}/${index}.yml`;
      generated.set(local, text);
      include.push({ local, ...inputs });
    } else if ('local' in each) {
      include.push({ local: expandText(each.local, known), ...inputs });
    } else {
      const ref = each.ref === null ? {} : { ref: expandText(each.ref, known) };
      const project = expandText(each.project, known);
      include.push({ project, file: expandText(each.file, known), ...ref, ...inputs });
    }
  }
  const own = gitPlace(core, { project, fullPath: project.full_path, sha: pipeline.sha, user: actor });
  return { content: JSON.stringify({ include }), place: withGenerated(own, generated) };
}

function withGenerated(place: ConfigPlace, generated: ReadonlyMap<string, string>): ConfigPlace {
  return {
    project: place.project,
    sha: place.sha,
    read: async (path) => generated.get(path) ?? place.read(path),
    match: (glob) => place.match(glob),
    other: (project, ref) => place.other(project, ref),
    remote: (url, written) => place.remote(url, written),
  };
}
