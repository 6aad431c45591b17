import type { Core } from '../../core/core.ts';
import { findNamespacesByIds } from '../../core/namespaces/store.ts';
import type { Static } from '../../platform/http/schema.ts';
import { type Explanation, presentInForce } from './entities.ts';
import { type Place, resolveLevels, type SettingSource } from './resolve.ts';

/** What is in force for one user at a place, and where it comes from. */
export async function explain(
  core: Pick<Core, 'db'>,
  userId: number,
  place: Place & { projectPath: string | null },
): Promise<Static<typeof Explanation> | undefined> {
  const resolved = (await resolveLevels(core.db, { ...place, userIds: [userId] })).get(userId);
  if (!resolved) return undefined;
  const { level, events, levelFrom, delivery, deliveryFrom } = resolved;
  const groups = await findNamespacesByIds(
    core.db,
    [levelFrom, deliveryFrom].flatMap(({ kind, id }) => (kind === 'group' && id !== null ? id : [])),
  );
  const source = ({ kind, id }: SettingSource) => ({
    type: kind,
    id,
    full_path: kind === 'project' ? place.projectPath : (groups.get(id ?? 0)?.full_path ?? null),
  });
  return {
    level,
    level_from: source(levelFrom),
    ...(level === 'custom' && { events: presentInForce(events) }),
    delivery,
    delivery_from: source(deliveryFrom),
    notification_email: resolved.email,
    notified_of_own_activity: resolved.ownActivity,
  };
}
