import { Type } from 'typebox';
import { UserBasic } from '../core/entities.ts';
import { ProjectBasic } from '../core/projects/entities.ts';
import { MergeRequestBasic } from '../tracker/merge-requests/entities.ts';
import { Milestone } from '../tracker/milestones/entities.ts';
import { Note } from '../tracker/notes/entities.ts';
import { BlobEntity, WikiBlobEntity } from './blobs/entities.ts';

/** What a list of results holds, by scope: the same objects as the lists of the tracker show. */
export const SearchElement = Type.Union([
  MergeRequestBasic,
  Milestone,
  Note,
  ProjectBasic,
  WikiBlobEntity,
  BlobEntity,
  UserBasic,
]);
