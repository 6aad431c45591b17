import { type Static, Type } from '../../platform/http/schema.ts';
import type { WikiFormat } from './formats.ts';

export const WikiPageEntity = Type.Object(
  {
    format: Type.String(),
    slug: Type.String(),
    title: Type.String(),
    content: Type.String(),
    encoding: Type.String(),
  },
  { $id: 'WikiPage' },
);

/** In a list that did not ask for contents. */
export const WikiPageBasicEntity = Type.Omit(WikiPageEntity, ['content', 'encoding'], {
  $id: 'WikiPageBasic',
});

export const WikiAttachmentEntity = Type.Object(
  {
    file_name: Type.String(),
    file_path: Type.String(),
    branch: Type.String(),
    link: Type.Object({ url: Type.String(), markdown: Type.String() }),
  },
  { $id: 'WikiAttachment' },
);

interface Shown {
  format: WikiFormat;
  slug: string;
  title: string;
}

export const presentPageBasic = ({ format, slug, title }: Shown): Static<typeof WikiPageBasicEntity> => ({
  format,
  slug,
  title,
});

export const presentPage = (page: Shown, content: string): Static<typeof WikiPageEntity> => ({
  ...presentPageBasic(page),
  content,
  encoding: 'UTF-8',
});
