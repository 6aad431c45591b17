import { optional, param, params } from '../../platform/http/params.ts';
import type { Static } from '../../platform/http/schema.ts';
import type { SnippetChanges } from './write.ts';

const visibilities = ['private', 'internal', 'public'] as const;
export const visibility = param.oneOf(visibilities);

const newFile = params({
  file_path: param.string({ blank: false }),
  content: param.string({ blank: false }),
});

/** What makes a snippet, but for its visibility, whose default is another one in projects. */
export const newFields = {
  title: param.string({ blank: false }),
  description: optional(param.string()),
  files: optional(param.list(newFile, { description: 'What it holds, at most ten files.' })),
  content: optional(
    param.string({ blank: false, description: 'Of the only file: the old form of `files`.' }),
  ),
  file_name: optional(param.string({ description: 'Of the only file, with `content`.' })),
};

export const newRules = { mutuallyExclusive: [['files', 'file_name']], exactlyOneOf: [['files', 'content']] };

/** `file_name` goes with `content`. */
export const missingName = (raw: Record<string, unknown>): string[] =>
  'content' in raw && !('file_name' in raw) ? ['file_name is missing'] : [];

interface NewFields {
  files?: { file_path: string; content: string }[] | null | undefined;
  content?: string | null | undefined;
  file_name?: string | null | undefined;
}

export const filesIn = ({ files, content, file_name }: NewFields): { filePath: string; content: string }[] =>
  files
    ? files.map((file) => ({ filePath: file.file_path, content: file.content }))
    : [{ filePath: file_name ?? '', content: content ?? '' }];

const fileAction = params({
  action: param.oneOf(['create', 'update', 'delete', 'move'], { blank: false }),
  file_path: optional(param.string()),
  previous_path: optional(param.string({ description: 'Where the file is now; for `move`.' })),
  content: optional(param.string()),
});

/** What changes a snippet. */
export const changedFields = {
  title: optional(param.string({ blank: false })),
  description: optional(param.string()),
  visibility: optional(visibility),
  files: optional(param.list(fileAction, { description: 'Applied in this order, all or none.' })),
  content: optional(
    param.string({ blank: false, description: 'Of the only file: the old form of `files`.' }),
  ),
  file_name: optional(param.string({ description: 'Of the only file: the old form of `files`.' })),
};

export const changedRules = {
  mutuallyExclusive: [
    ['files', 'content'],
    ['files', 'file_name'],
  ],
  atLeastOneOf: [['content', 'description', 'files', 'file_name', 'title', 'visibility']],
};

const changedParams = params(changedFields);
type ChangedFields = Static<typeof changedParams>;

/** As the room takes them. */
export const changesIn = (asked: ChangedFields): SnippetChanges => ({
  ...asked,
  fileName: asked.file_name,
  actions: asked.files?.map((file) => ({
    ...file,
    filePath: file.file_path,
    previousPath: file.previous_path,
  })),
});

export const createdBetween = {
  created_after: optional(param.dateTime()),
  created_before: optional(param.dateTime()),
};

/** Ten files of ten megabytes would be more than one call may bring; two such files fit. */
export const BODY_LIMIT = 32 * 1024 * 1024;
