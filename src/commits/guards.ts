import type { ProjectAbility } from '../core/access/abilities.ts';
import type { Caller } from '../core/caller.ts';
import type { Core } from '../core/core.ts';
import type { InProject } from '../core/guards.ts';
import { ApiError } from '../platform/errors.ts';
import type { ApiRequest } from '../platform/http/request.ts';
import type { GuardCall } from '../platform/http/route.ts';

type Guard = (call: GuardCall<Caller>) => Promise<InProject>;

/** Code readable, further rights, and then a page from 1 on: GitLab's commit routes look at the page before any other parameter. */
export function readsPages(core: Core, ...abilities: ProjectAbility[]): Guard {
  const readsCode = core.guards.repository(...abilities);
  return async (call) => {
    const found = await readsCode(call);
    const problems = ['page', 'per_page'].filter((name) => isBelowOne(call.raw[name]));
    if (problems.length > 0) {
      throw new ApiError('invalid_params', {
        problems: problems.map((name) => `${name} does not have a valid value`).join(', '),
      });
    }
    return found;
  };
}

/** What is no number at all is left to the parameter check, which has other words for it. */
function isBelowOne(raw: unknown): boolean {
  if (typeof raw !== 'number' && typeof raw !== 'string') return false;
  return String(raw).trim() !== '' && Number(raw) < 1;
}

/** For the status routes, where a bad parameter is answered before a missing project. */
export function guardLate(
  guard: Guard,
  call: ApiRequest<Caller, { id: string }, undefined>,
): Promise<InProject> {
  const { caller, method, raw, baseUrl } = call;
  return guard({ caller, method, raw, baseUrl, path: { id: call.params.id }, url: call.incoming.url ?? '' });
}
