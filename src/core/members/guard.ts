import { fail } from '../../platform/errors.ts';
import type { GuardCall } from '../../platform/http/route.ts';
import type { Caller } from '../caller.ts';
import type { Core } from '../core.ts';
import { groupSettings } from '../groups/settings.ts';
import { projectSettings } from '../projects/settings.ts';
import { type MemberSource, sourceOfGroup, sourceOfProject } from './source.ts';

export type MemberKind = MemberSource['kind'];

/** Finds the project or group of `:id` as a place with members; `admin` also demands the right to manage them. */
export function sourceGuard(core: Core, kind: MemberKind, { admin = false } = {}) {
  const find = kind === 'project' ? projectSource(core) : groupSource(core);
  return async (call: GuardCall<Caller>): Promise<MemberSource> => {
    const source = await find(call);
    if (admin && !source.canAdmin) throw fail.forbidden();
    return source;
  };
}

function projectSource(core: Core) {
  const guard = core.guards.project('read_members');
  return async (call: GuardCall<Caller>): Promise<MemberSource> => {
    const found = await guard(call);
    return sourceOfProject(found, projectSettings(found.project).request_access_enabled);
  };
}

function groupSource(core: Core) {
  const guard = core.guards.group('read_members');
  return async (call: GuardCall<Caller>): Promise<MemberSource> => {
    const found = await guard(call);
    return sourceOfGroup(found, groupSettings(found.group).request_access_enabled);
  };
}
