import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Visibility } from '../tables.ts';
import {
  type Feature,
  type FeatureAccess,
  type GroupAbility,
  mayInGroup,
  mayInProject,
  maySee,
  type ProjectAbility,
} from './abilities.ts';

/**
 * Who may do what, written down from GitLab's permission tables and not from ours. Roles from left to right: anonymous (A),
 * signed in without membership (N), an external user without membership (X), guest, planner, reporter, developer, maintainer,
 * owner, administrator. `+` may, `.` may not.
 */
const ROLES = ['A', 'N', 'X', 10, 15, 20, 30, 40, 50, 60] as const;

type Role = (typeof ROLES)[number];

interface Circumstances {
  archived?: boolean;
  publicJobs?: boolean;
  features?: Partial<Record<Feature, FeatureAccess>>;
}

const standing = (role: Role, visibility: Visibility) => ({
  level: typeof role === 'number' ? role : 0,
  visibility,
  external: role === 'X',
  signedIn: role !== 'A',
});

function rowOf(ability: ProjectAbility, visibility: Visibility, circumstances: Circumstances = {}): string {
  const { archived = false, publicJobs = true, features = {} } = circumstances;
  const facts = { archived, publicJobs, featureAccess: (name: Feature) => features[name] ?? 'enabled' };
  return ROLES.map((role) => (mayInProject(ability, standing(role, visibility), facts) ? '+' : '.')).join('');
}

const everyone = '++++++++++';
const nobody = '..........';
const signedIn = '.+++++++++';
const insiders = '.+.+++++++';
const guests = '...+++++++';
const planners = '....++++++';
const reporters = '.....+++++';
const developers = '......++++';
const maintainers = '.......+++';
const owners = '........++';

describe('in a project', () => {
  const table: [ProjectAbility, privately: string, internal: string, publicly: string][] = [
    ['read_project', guests, insiders, everyone],
    // A guest of a private project sees that it is there, but not its code.
    ['read_code', reporters, insiders, everyone],
    ['push_code', developers, developers, developers],
    ['push_as_collaborator', reporters, insiders, signedIn],
    ['create_tag', developers, developers, developers],
    ['manage_protected_refs', maintainers, maintainers, maintainers],
    ['fork_project', reporters, insiders, everyone],
    ['read_issue', guests, insiders, everyone],
    ['create_issue', guests, insiders, signedIn],
    ['read_confidential_issue', planners, planners, planners],
    ['update_issue', planners, planners, planners],
    ['delete_issue', owners, owners, owners],
    ['read_merge_request', reporters, insiders, everyone],
    ['create_merge_request', developers, developers, developers],
    ['create_note', guests, insiders, signedIn],
    ['read_internal_note', planners, planners, planners],
    ['admin_note', maintainers, maintainers, maintainers],
    ['resolve_note', developers, developers, developers],
    ['award_emoji', guests, insiders, signedIn],
    ['read_snippet', guests, insiders, everyone],
    ['create_snippet', reporters, reporters, reporters],
    ['update_own_snippet', guests, insiders, signedIn],
    ['admin_snippet', maintainers, maintainers, maintainers],
    ['read_wiki', guests, insiders, everyone],
    ['create_wiki', developers, developers, developers],
    ['read_milestone', guests, insiders, everyone],
    ['admin_milestone', planners, planners, planners],
    ['read_label', guests, insiders, everyone],
    ['admin_label', planners, planners, planners],
    ['read_pipeline', guests, insiders, everyone],
    ['read_build', guests, insiders, everyone],
    ['read_commit_status', reporters, insiders, everyone],
    ['create_commit_status', developers, developers, developers],
    ['update_build', developers, developers, developers],
    ['admin_build', maintainers, maintainers, maintainers],
    ['read_members', guests, insiders, everyone],
    ['admin_members', maintainers, maintainers, maintainers],
    ['admin_project', maintainers, maintainers, maintainers],
    ['rename_project', maintainers, maintainers, maintainers],
    ['change_visibility', owners, owners, owners],
    ['archive_project', owners, owners, owners],
    ['transfer_project', owners, owners, owners],
    ['remove_project', owners, owners, owners],
  ];
  for (const [ability, privately, internal, publicly] of table) {
    it(`${ability}`, () => {
      assert.equal(rowOf(ability, 'private'), privately, 'private');
      assert.equal(rowOf(ability, 'internal'), internal, 'internal');
      assert.equal(rowOf(ability, 'public'), publicly, 'public');
    });
  }

  it('comments on commits are for whoever reads the code and is signed in', () => {
    assert.equal(rowOf('comment_on_commit', 'public'), signedIn);
    assert.equal(rowOf('comment_on_commit', 'internal'), insiders);
  });

  it('an external guest of an internal project reads no code', () => {
    const facts = { archived: false, publicJobs: true, featureAccess: () => 'enabled' as const };
    const guest = { level: 10, visibility: 'internal', external: true, signedIn: true } as const;
    assert.equal(mayInProject('read_project', guest, facts), true);
    assert.equal(mayInProject('read_code', guest, facts), false);
  });

  /** GitLab's own table for pipelines: visibility, builds feature, public jobs; then A, N, guest. */
  const pipelines: [Visibility, FeatureAccess, boolean, string][] = [
    ['private', 'enabled', true, '..+'],
    ['private', 'private', true, '..+'],
    ['private', 'enabled', false, '...'],
    ['private', 'private', false, '...'],
    ['internal', 'enabled', true, '.++'],
    ['internal', 'enabled', false, '...'],
    ['internal', 'private', true, '..+'],
    ['internal', 'private', false, '...'],
    ['public', 'enabled', true, '+++'],
    ['public', 'enabled', false, '...'],
    ['public', 'private', true, '..+'],
    ['public', 'private', false, '...'],
  ];
  for (const [visibility, builds, publicJobs, expected] of pipelines) {
    it(`pipelines: ${visibility}, builds ${builds}, public jobs ${publicJobs}`, () => {
      const row = rowOf('read_pipeline', visibility, { publicJobs, features: { builds } });
      assert.equal(row[0]! + row[1]! + row[3]!, expected);
      assert.equal(row.slice(5), '+++++', 'reporters and up always');
    });
  }

  it('statuses are for those who see pipelines, and stay when the project has no CI of its own', () => {
    for (const [visibility, builds, publicJobs] of pipelines.filter(
      ([visibility]) => visibility !== 'private',
    )) {
      const row = rowOf('read_commit_status', visibility, { publicJobs, features: { builds } });
      const pipelines = rowOf('read_pipeline', visibility, { publicJobs, features: { builds } });
      assert.equal(row, pipelines, `${visibility} ${builds} ${publicJobs}`);
    }
    assert.equal(rowOf('read_commit_status', 'public', { features: { builds: 'disabled' } }), everyone);
    for (const ability of ['read_commit_status', 'create_commit_status'] as const)
      assert.equal(rowOf(ability, 'public', { features: { repository: 'disabled' } }), nobody, ability);
  });

  it('what is archived can be read by the same people, and written by nobody', () => {
    for (const ability of ['push_code', 'create_issue', 'create_commit_status', 'update_build'] as const) {
      assert.equal(rowOf(ability, 'public', { archived: true }), nobody, ability);
    }
    assert.equal(rowOf('read_code', 'public', { archived: true }), everyone);
    assert.equal(rowOf('archive_project', 'public', { archived: true }), owners);
  });

  it('a feature for members only is closed to the others, and one that is off to all', () => {
    const features: [ProjectAbility, Feature][] = [
      ['read_code', 'repository'],
      ['read_issue', 'issues'],
      ['read_merge_request', 'merge_requests'],
      ['read_wiki', 'wiki'],
      ['read_snippet', 'snippets'],
    ];
    for (const [ability, feature] of features) {
      assert.equal(rowOf(ability, 'public', { features: { [feature]: 'private' } }), guests, ability);
      assert.equal(rowOf(ability, 'public', { features: { [feature]: 'disabled' } }), nobody, ability);
    }
  });
});

describe('in a group', () => {
  const table: [GroupAbility, privately: string, internal: string, publicly: string][] = [
    ['read_group', guests, insiders, everyone],
    ['create_projects', developers, developers, developers],
    ['create_subgroup', maintainers, maintainers, maintainers],
    ['admin_milestone', planners, planners, planners],
    ['admin_label', planners, planners, planners],
    ['admin_members', owners, owners, owners],
    ['admin_group', owners, owners, owners],
    ['remove_group', owners, owners, owners],
  ];
  for (const [ability, ...expected] of table) {
    it(`${ability}`, () => {
      const rows = (['private', 'internal', 'public'] as const).map((visibility) =>
        ROLES.map((role) => (mayInGroup(ability, standing(role, visibility)) ? '+' : '.')).join(''),
      );
      assert.deepEqual(rows, expected);
    });
  }
});

it('an external user sees nothing internal without a membership', () => {
  assert.equal(maySee({ level: 0, visibility: 'internal', external: true, signedIn: true }), false);
  assert.equal(maySee({ level: 10, visibility: 'internal', external: true, signedIn: true }), true);
});
