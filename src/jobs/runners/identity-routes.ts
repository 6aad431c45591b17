import type { Core, CoreApi } from '../../core/core.ts';
import { ApiError, fail } from '../../platform/errors.ts';
import { Answer } from '../../platform/http/answer.ts';
import { optional, param, params } from '../../platform/http/params.ts';
import { demandUnmodified } from '../../platform/http/precondition.ts';
import { runnerAuthenticator } from './authenticate-runner.ts';
import { contactNoter } from './contact.ts';
import { createRunner, resetRunnerToken } from './create.ts';
import { RunnerRegistration, RunnerToken } from './entities.ts';
import { exclusiveFields, runnerFieldParams } from './fields.ts';
import { deleteManager } from './managers-store.ts';
import { contactOf, SYSTEM_ID_PARAM } from './protocol.ts';
import { placeOfRegistrationToken } from './registration-tokens.ts';
import { removeRunner } from './remove.ts';

const token = param.string({ description: "The runner's." });
const info = optional(param.anyHash({ description: 'What the runner is and can do.' }));

/** How runners come, say who they are, and go: by tokens of their own, not by a user's. */
export function runnerIdentityRoutes(api: CoreApi, core: Core): void {
  registrationRoutes(api, core);
  tokenRoutes(api, core);
}

function registrationRoutes(api: CoreApi, core: Core): void {
  const room = api.open('runners');
  const authenticate = runnerAuthenticator(core);

  room.post('/runners', {
    summary: 'Register a runner by a registration token',
    description: 'The old way; `POST /user/runners` is the newer one.',
    params: params(
      {
        token: param.string({ description: 'Of the instance, a group or a project.' }),
        info,
        ...runnerFieldParams,
        maintainer_note: optional(param.string({ description: 'The older word for `maintenance_note`.' })),
      },
      { mutuallyExclusive: [...exclusiveFields, ['maintainer_note', 'maintenance_note']] },
    ),
    responses: { 201: RunnerRegistration },
    handler: async ({ params: asked }) => {
      if (!(await core.settings.get('allow_runner_registration_token'))) {
        throw new ApiError('registration_gone');
      }
      const place = await placeOfRegistrationToken(core, asked.token);
      if (!place) throw fail.forbidden('invalid token supplied');
      const fields = { ...asked, maintenance_note: asked.maintenance_note ?? asked.maintainer_note };
      const { runner, token: issued } = await createRunner(core, place, { ...fields, creatorId: null });
      return { id: runner.id, token: issued, token_expires_at: null };
    },
  });

  room.delete('/runners', {
    summary: 'Delete a runner by its token',
    params: params({ token }),
    responses: { 204: null },
    handler: async ({ params: asked, headers }) => {
      const runner = await authenticate(asked.token);
      demandUnmodified(headers, runner.updated_at);
      await removeRunner(core, runner.id);
    },
  });

  room.delete('/runners/managers', {
    summary: 'Forget a machine that used a runner',
    params: params({ token, system_id: param.string() }),
    responses: { 204: null },
    handler: async ({ params: asked }) => {
      const runner = await authenticate(asked.token);
      const gone = await core.database.transaction((tx) => deleteManager(tx, runner.id, asked.system_id));
      if (!gone) throw fail.notFound('Runner manager not found');
    },
  });
}

function tokenRoutes(api: CoreApi, core: Core): void {
  const room = api.open('runners');
  const authenticate = runnerAuthenticator(core);
  const noteContact = contactNoter(core);

  room.post('/runners/verify', {
    summary: 'Whether the token of a runner is good',
    params: params({ token, system_id: SYSTEM_ID_PARAM, info }),
    responses: { 200: RunnerRegistration },
    handler: async (call) => {
      const runner = await authenticate(call.params.token);
      await noteContact(runner, contactOf(call));
      return new Answer(200, { id: runner.id, token: call.params.token, token_expires_at: null });
    },
  });

  room.post('/runners/reset_authentication_token', {
    summary: 'Another token for a runner, by the one that it has',
    params: params({ token }),
    responses: { 201: RunnerToken },
    handler: async ({ params: asked }) => {
      const issued = await resetRunnerToken(core, await authenticate(asked.token));
      return { token: issued, token_expires_at: null };
    },
  });
}
