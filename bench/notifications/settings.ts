import { Ingot } from '../lib/ingot.ts';
import { loadPair, type Row, rps, times } from '../lib/measure.ts';

const CONNECTIONS = 10;
const LIMIT = 1.3;

/** Reads of settings against `GET /user`, which also asks who calls and then for one row more. */
export async function settingsRows(): Promise<Row[]> {
  const ingot = await Ingot.start();
  try {
    const group = await ingot.api<{ id: number }>('POST', '/groups', { name: 'team', path: 'team' });
    const project = await ingot.api<{ id: number }>('POST', '/projects', {
      name: 'p',
      namespace_id: group.id,
    });
    const inProject = `/projects/${project.id}/notification_settings`;
    await ingot.api('PUT', inProject, { level: 'custom', new_note: true });
    return [
      await settingsRow(ingot, 'own settings', '/notification_settings'),
      await settingsRow(ingot, 'settings of a group, none set', `/groups/${group.id}/notification_settings`),
      await settingsRow(ingot, 'settings of a project, custom', inProject),
    ];
  } finally {
    await ingot.stop();
  }
}

async function settingsRow(ingot: Ingot, what: string, path: string): Promise<Row> {
  const side = (at: string) => ({ url: `${ingot.url}/api/v4${at}`, headers: ingot.headers });
  const { ours, theirs, ratio } = await loadPair(side(path), side('/user'), CONNECTIONS);
  const slower = 1 / ratio;
  return {
    what,
    ours: rps(ours),
    theirs: `${rps(theirs)} (GET /user)`,
    ratio: times(slower),
    goal: `under ${LIMIT}x the time`,
    met: slower < LIMIT,
  };
}
