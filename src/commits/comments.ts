import type { Core, Room } from '../core/core.ts';
import { isoTime, presentUserBasic, UserBasic } from '../core/entities.ts';
import type { User } from '../core/tables.ts';
import { ghostUser } from '../core/users/ghost.ts';
import { pageAnswer, pageOf, pageParams } from '../platform/http/pagination.ts';
import { nullable, optional, param, params, timestamp, withDefault } from '../platform/http/params.ts';
import { type Static, Type } from '../platform/http/schema.ts';
import { loadNotePeople } from '../tracker/notes/entities.ts';
import { createNote } from '../tracker/notes/notes.ts';
import { type NotePosition, placementOf } from '../tracker/notes/positions/position.ts';
import { countNotes, listNotes } from '../tracker/notes/store.ts';
import type { NoteRow } from '../tracker/tables.ts';
import { commitPath, findCommit } from './find.ts';
import { readsPages } from './guards.ts';
import { commentPosition } from './positions.ts';

const CommentAuthor = Type.Object(
  { ...UserBasic.properties, email: Type.String(), created_at: timestamp() },
  { $id: 'CommentAuthor' },
);

const CommitComment = Type.Object(
  {
    note: Type.String(),
    path: nullable(Type.String()),
    line: nullable(Type.Integer()),
    line_type: nullable(Type.String()),
    author: CommentAuthor,
    created_at: timestamp(),
  },
  { $id: 'CommitComment' },
);

/** Comments are the project's notes on a commit, in their short form; `discussions.ts` shows the same notes as threads. */
export function commentRoutes(room: Room, core: Core): void {
  listRoute(room, core);
  postRoute(room, core);
}

function listRoute(room: Room, core: Core): void {
  room.get('/projects/:id/repository/commits/:sha/comments', {
    summary: 'List the comments on a commit, oldest first',
    params: params({ ...commitPath, ...pageParams }),
    responses: { 200: Type.Array(CommitComment) },
    guard: readsPages(core),
    async handler(call) {
      const { project } = call.guarded;
      const { oid } = await findCommit(core, project, call);
      const page = pageOf(call.params);
      const noteable = { projectId: project.id, type: 'Commit', commitId: oid } as const;
      const notes = await listNotes(core.db, noteable, { limit: page.perPage, offset: page.offset });
      const people = await loadNotePeople(core.db, notes);
      const items = notes.map((note) =>
        presentComment(note, { author: people.get(note.author_id ?? 0), baseUrl: call.baseUrl }),
      );
      return pageAnswer(call, page, items, { total: await countNotes(core.db, noteable) });
    },
  });
}

function postRoute(room: Room, core: Core): void {
  room.post('/projects/:id/repository/commits/:sha/comments', {
    summary: 'Comment on a commit, or on a line that it changed',
    description: 'Where the diff has no such line the comment stands under the commit, its place null.',
    params: params({
      ...commitPath,
      note: param.string(),
      path: optional(param.string({ description: 'A file of the diff, as it is called afterwards.' })),
      line: optional(param.integer({ description: 'Needed with `path`.' })),
      line_type: withDefault(param.oneOf(['new', 'old']), 'new'),
    }),
    check: ({ path, line }) => (path && (line ?? '') === '' ? ['line is missing'] : []),
    responses: { 201: CommitComment },
    guard: core.guards.repository('comment_on_commit'),
    async handler(call) {
      const { caller, params: asked, guarded, baseUrl, signal } = call;
      const found = await findCommit(core, guarded.project, call);
      const { path, line, line_type: lineType } = asked;
      const position = path && line ? await commentPosition(found, { path, line, lineType }, signal) : null;
      const note = await createNote(core, {
        noteable: { projectId: guarded.project.id, type: 'Commit', commitId: found.oid },
        authorId: caller.user.id,
        body: asked.note,
        kind: 'note',
        position,
      });
      return presentComment(note, { author: caller.user, baseUrl });
    },
  });
}

function presentComment(
  note: NoteRow,
  { author, baseUrl }: { author: User | undefined; baseUrl: string },
): Static<typeof CommitComment> {
  const position = note.position === null ? null : (JSON.parse(note.position) as NotePosition);
  const { line, line_type } = placementOf(position);
  return {
    note: note.body,
    // The name after the commit, also for a line that it removed: what the client gave when it commented.
    path: position?.new_path ?? null,
    line,
    line_type,
    author: presentAuthor(author ?? ghostUser, baseUrl),
    created_at: isoTime(note.created_at),
  };
}

/** The address is no secret to readers of the code: it is what the user's commits carry. */
const presentAuthor = (author: User, baseUrl: string): Static<typeof CommentAuthor> => ({
  ...presentUserBasic(author, baseUrl),
  email: author.email,
  created_at: isoTime(author.created_at),
});
