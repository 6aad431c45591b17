import { UserBasic } from '../core/entities.ts';
import { ProjectBasic } from '../core/projects/entities.ts';
import { Type } from '../platform/http/schema.ts';
import { MergeRequestBasic } from '../tracker/merge-requests/entities.ts';
import { Milestone } from '../tracker/milestones/entities.ts';
import { Note } from '../tracker/notes/entities.ts';
import { SnippetEntity } from '../tracker/snippets/entities.ts';
import { BlobEntity, WikiBlobEntity } from './blobs/entities.ts';
import { CommitFound } from './commits/entities.ts';
import { IssueFound } from './issues/entities.ts';

/** What a list of results holds, by scope: the objects that the lists of the tracker show, issues without `_links`. */
export const SearchElement = Type.Union([
  IssueFound,
  MergeRequestBasic,
  Milestone,
  SnippetEntity,
  Note,
  ProjectBasic,
  WikiBlobEntity,
  BlobEntity,
  CommitFound,
  UserBasic,
]);
