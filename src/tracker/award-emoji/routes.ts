import type { Core, CoreApi, Room } from '../../core/core.ts';
import { findUsersByIds } from '../../core/users/store.ts';
import { type ApiError, fail } from '../../platform/errors.ts';
import { pageAnswer, pageOf, pageParams } from '../../platform/http/pagination.ts';
import { param, params } from '../../platform/http/params.ts';
import { demandUnmodified } from '../../platform/http/precondition.ts';
import { Type } from '../../platform/http/schema.ts';
import { findNoteOf } from '../notes/note-routes.ts';
import { mayTalk } from '../notes/rights.ts';
import { kinds, type Target, type TargetCall, type TargetKind } from '../notes/targets.ts';
import { AwardEmoji, presentAward } from './entity.ts';
import { EmojiNames } from './names.ts';
import { type Awardable, countAwards, deleteAward, findAward, insertAward, listAwards } from './store.ts';

/** Something that takes reactions, and how a route finds it. */
interface AwardPlace extends Pick<TargetKind, 'noun' | 'path' | 'params' | 'reads'> {
  find(call: TargetCall): Promise<FoundAwardable>;
}

interface FoundAwardable extends Awardable {
  target: Target;
  /** What the service wrote itself takes none. */
  closed: boolean;
}

/** Reactions to issues, merge requests and snippets, and to the notes on them. */
export function awardRoutes(api: CoreApi, core: Core): void {
  const room = api.room('award_emoji');
  const names = new EmojiNames();
  for (const place of kinds.flatMap((kind) => [thingPlace(core, kind), notePlace(core, kind)])) {
    readRoutes(room, core, place);
    writeRoutes(room, core, place, names);
  }
}

const thingPlace = (core: Core, kind: TargetKind): AwardPlace => ({
  ...kind,
  async find(call) {
    const target = await kind.find(core, call);
    return { type: kind.type, id: target.noteable.id, target, closed: false };
  },
});

const notePlace = (core: Core, kind: TargetKind): AwardPlace => {
  const path = { ...kind.params, note_id: param.integer() };
  return {
    noun: `a note on ${kind.noun}`,
    path: `${kind.path}/notes/:note_id`,
    params: path,
    reads: kind.reads,
    async find(call) {
      const { note, target } = await findNoteOf(
        core,
        kind,
        call as TargetCall & { params: { note_id: number } },
      );
      return { type: 'Note', id: note.id, target, closed: note.system === 1 };
    },
  };
};

function readRoutes(room: Room, core: Core, place: AwardPlace): void {
  const guard = core.guards.project(place.reads);

  room.get(`${place.path}/award_emoji`, {
    summary: `List the reactions to ${place.noun}`,
    params: params({ ...place.params, ...pageParams }),
    responses: { 200: Type.Array(AwardEmoji) },
    guard,
    async handler(call) {
      const awardable = await place.find(call);
      const page = pageOf(call.params);
      const rows = await listAwards(core.db, awardable, { limit: page.perPage, offset: page.offset });
      const users = await findUsersByIds(
        core.db,
        rows.map((row) => row.user_id),
      );
      const items = rows.flatMap((row) => {
        const user = users.get(row.user_id);
        return user ? [presentAward(row, user, call.baseUrl)] : [];
      });
      return pageAnswer(call, page, items, { total: await countAwards(core.db, awardable) });
    },
  });

  room.get(`${place.path}/award_emoji/:award_id`, {
    summary: `Read a reaction to ${place.noun}`,
    params: params({ ...place.params, award_id: param.integer() }),
    responses: { 200: AwardEmoji },
    guard,
    async handler(call) {
      const row = await findAward(core.db, await place.find(call), call.params.award_id);
      const user = row && (await findUsersByIds(core.db, [row.user_id])).get(row.user_id);
      if (!row || !user) throw fail.recordNotFound();
      return presentAward(row, user, call.baseUrl);
    },
  });
}

function writeRoutes(room: Room, core: Core, place: AwardPlace, names: EmojiNames): void {
  const guard = core.guards.project(place.reads);

  room.post(`${place.path}/award_emoji`, {
    summary: `React to ${place.noun}`,
    params: params({
      ...place.params,
      name: param.string({ description: 'Of the emoji, without colons: `thumbsup`.' }),
    }),
    responses: { 201: AwardEmoji },
    guard,
    async handler(call) {
      const { user } = call.caller;
      const { type, id, target, closed } = await place.find(call);
      if (closed || !mayTalk(target, 'award_emoji')) throw fail.notFound('Award Emoji');
      const name = await names.canonical(call.params.name);
      if (name === null) throw refused('is not a valid emoji name');
      const now = core.clock.now();
      const row = await core.database.transaction((tx) =>
        insertAward(tx, {
          project_id: target.project.id,
          awardable_type: type,
          awardable_id: id,
          user_id: user.id,
          name,
          created_at: now,
          updated_at: now,
        }),
      );
      if (!row) throw refused('has already been taken');
      return presentAward(row, user, call.baseUrl);
    },
  });

  room.delete(`${place.path}/award_emoji/:award_id`, {
    summary: `Take a reaction to ${place.noun} back`,
    params: params({ ...place.params, award_id: param.integer() }),
    responses: { 204: null },
    guard,
    async handler(call) {
      const row = await findAward(core.db, await place.find(call), call.params.award_id);
      if (!row) throw fail.recordNotFound();
      if (row.user_id !== call.caller.user.id && !call.caller.admin) throw fail.unauthorized();
      demandUnmodified(call.headers, row.updated_at);
      await core.database.transaction((tx) => deleteAward(tx, row.id));
    },
  });
}

/** GitLab answers 404 where others would say 400. */
const refused = (text: string): ApiError => fail.notFound(`Award Emoji {name: ["${text}"]}`);
