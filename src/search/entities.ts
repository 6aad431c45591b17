import { Type } from 'typebox';
import { UserBasic } from '../core/entities.ts';
import { ProjectBasic } from '../core/projects/entities.ts';
import { IssueBasic } from '../tracker/issues/entities.ts';
import { MergeRequestBasic } from '../tracker/merge-requests/entities.ts';
import { Milestone } from '../tracker/milestones/entities.ts';
import { Note } from '../tracker/notes/entities.ts';
import { SnippetEntity } from '../tracker/snippets/entities.ts';
import { BlobEntity, WikiBlobEntity } from './blobs/entities.ts';
import { CommitFound } from './commits/entities.ts';

/** What a list of results holds, by scope: the same objects as the lists of the tracker show. */
export const SearchElement = Type.Union([
  IssueBasic,
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
