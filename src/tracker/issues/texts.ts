import { type FieldErrors, fail } from '../../platform/errors.ts';

export const MAX_TITLE = 255;
export const MAX_DESCRIPTION = 1_048_576;

/** Throws 400 for a title or description that will not do; undefined is not looked at. */
export function checkTexts(texts: {
  title?: string | null | undefined;
  description?: string | null | undefined;
}): void {
  const problems: FieldErrors = {};
  const tooLong = (limit: number) => [`is too long (maximum is ${limit} characters)`];
  if (texts.title !== undefined && (texts.title ?? '').trim() === '') problems['title'] = ["can't be blank"];
  else if ((texts.title?.length ?? 0) > MAX_TITLE) problems['title'] = tooLong(MAX_TITLE);
  if ((texts.description?.length ?? 0) > MAX_DESCRIPTION) problems['description'] = tooLong(MAX_DESCRIPTION);
  if (Object.keys(problems).length > 0) throw fail.invalid(problems);
}
