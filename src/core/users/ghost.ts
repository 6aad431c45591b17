import type { Static } from '../../platform/http/schema.ts';
import { presentUserBasic, type UserBasic } from '../entities.ts';
import type { User } from '../tables.ts';

/** Nobody can be called so. */
export const GHOST_USERNAME = 'ghost';

/**
 * Stands for users who were deleted. What they wrote keeps its row with an empty author (`on delete set null`), and wherever an
 * answer must name somebody, it names the ghost. He has no row, so nothing can be assigned or granted to him.
 */
export const ghostUser: User = {
  id: 0,
  username: GHOST_USERNAME,
  name: 'Ghost User',
  email: '',
  public_email: null,
  state: 'active',
  is_admin: 0,
  external: 0,
  bot: 1,
  private_profile: 0,
  can_create_group: 0,
  projects_limit: 0,
  note: null,
  profile: '{}',
  confirmed_at: null,
  last_activity_on: null,
  created_at: 0,
  updated_at: 0,
};

/** The author of something, or the ghost where he is gone. */
export const presentAuthor = (user: User | null | undefined, baseUrl: string): Static<typeof UserBasic> =>
  presentUserBasic(user ?? ghostUser, baseUrl);
