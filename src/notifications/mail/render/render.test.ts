import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NOTICE_REASONS, type Notice, type NoticeKind } from '../../notice.ts';
import { aNotice, aPipelineNotice } from '../../testing.ts';
import { UnsubscribeLinks } from '../../unsubscribe/links.ts';
import { composeMail } from '../compose.ts';
import { listId } from './headers.ts';
import { markdownToHtml } from './markdown.ts';
import { noticeMail } from './notice-mail.ts';
import { sentenceOf } from './sentences.ts';

const BASE = 'https://ingot.test';

/** The mail as `reader` gets it. */
async function sent(notice: Notice) {
  const mail = await noticeMail(notice, BASE);
  const compose = {
    from: () => ({ name: 'Ingot', address: 'ingot@ingot.test' }),
    replyTo: () => ({ name: 'Ingot', address: 'noreply@ingot.test' }),
    baseUrl: () => BASE,
    links: async () => new UnsubscribeLinks('secret'),
  };
  const content = {
    id: 1,
    subject: mail.subject,
    text_body: mail.text,
    html_body: mail.html ?? '',
    from_name: mail.fromName ?? null,
    message_id: mail.messageId ?? '',
    headers: JSON.stringify(mail.headers),
    project_id: null,
    thing_type: mail.thing?.type ?? null,
    thing_id: mail.thing?.id ?? null,
    created_at: 1,
  };
  const row = {
    id: 3,
    content_id: 1,
    user_id: notice.userId,
    recipient: 'bob@example.com',
    kind: mail.kind,
    reason: notice.reason,
    state: 'queued' as const,
    attempts: 0,
    next_attempt_at: 0,
    owner: null,
    answer: null,
    created_at: 1,
    settled_at: null,
  };
  return composeMail({ ...row, content }, compose);
}

describe('the mail of a comment on an issue', () => {
  it('has GitLab’s subject, sender, thread and headers', async () => {
    const mail = await sent(aNotice());
    assert.equal(mail.subject, 'Re: App | Broken door (#5)');
    assert.deepEqual(mail.from, { name: 'Ann Other (@ann)', address: 'ingot@ingot.test' });
    assert.equal(mail.messageId, '<note_9@ingot.test>');
    assert.deepEqual(mail.replyTo, { name: 'Ingot', address: 'noreply@ingot.test' });
    const { 'List-Unsubscribe': unsubscribe, 'X-GitLab-Reply-Key': key, ...headers } = mail.headers;
    assert.match(key ?? '', /^1-i-77-[\w-]{43}$/);
    assert.match(
      unsubscribe ?? '',
      /^<https:\/\/ingot\.test\/-\/sent_notifications\/1-i-77-[\w-]{43}\/unsubscribe>$/,
    );
    assert.deepEqual(headers, {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      'X-GitLab-Project': 'App',
      'X-GitLab-Project-Id': '42',
      'X-GitLab-Project-Path': 'group/sub/app',
      'List-Id': 'group/sub/app <42.app.sub.group.ingot.test>',
      'X-GitLab-Issue-ID': '77',
      'X-GitLab-Issue-IID': '5',
      'X-GitLab-Issue-State': 'opened',
      'X-GitLab-ConfidentialIssue': 'false',
      'In-Reply-To': '<issue_77@ingot.test>',
      References: '<issue_77@ingot.test>',
      'X-Ingot-Event': 'new_note',
      'X-GitLab-NotificationReason': 'mentioned',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    });
  });

  it('says it in text and in HTML, and why its reader gets it', async () => {
    const { text, html } = await sent(aNotice());
    assert.match(text, /^Ann Other commented on issue #5:\n\nBroken door\n\nHave \*\*you\*\* seen it\?\n/);
    assert.match(text, /You're receiving this email because you have been mentioned on ingot\.test\.\n/);
    assert.match(text, /Unsubscribe from this thread: https:\/\/ingot\.test\/-\/sent_notifications\/1-i-77-/);
    assert.match(html, /<p>Have <strong>you<\/strong> seen it\?<\/p>/);
    assert.match(
      html,
      /<a href="https:\/\/ingot\.test\/group\/sub\/app\/-\/issues\/5#note_9">View it on ingot\.test/,
    );
  });

  it('answers the note before it in a thread', async () => {
    const mail = await sent(aNotice({ discussionId: 'abc', earlierNoteIds: [4, 6] }));
    assert.equal(mail.headers['In-Reply-To'], '<note_6@ingot.test>');
    assert.equal(mail.headers['References'], '<issue_77@ingot.test> <note_4@ingot.test> <note_6@ingot.test>');
    assert.equal(mail.headers['X-GitLab-Discussion-ID'], 'abc');
  });
});

describe('the mail of something new', () => {
  it('begins the thread that others answer', async () => {
    const mail = await sent(aNotice({ kind: 'new_issue', noteId: null, reason: 'watching' }));
    assert.equal(mail.subject, 'App | Broken door (#5)');
    assert.equal(mail.messageId, '<issue_77@ingot.test>');
    assert.equal(mail.headers['In-Reply-To'], undefined);
    assert.equal(mail.headers['X-GitLab-NotificationReason'], undefined);
  });
});

describe('the mail of a pipeline', () => {
  it('is nobody’s thread, from the service itself', async () => {
    const mail = await sent(aPipelineNotice());
    assert.equal(mail.subject, 'App | Failed pipeline for main | abcdef01');
    assert.equal(mail.from.name, 'Ingot');
    assert.equal(mail.headers['X-GitLab-Pipeline-Id'], '31');
    assert.equal(mail.headers['X-GitLab-Pipeline-Ref'], 'main');
    assert.equal(mail.headers['X-GitLab-Pipeline-Status'], 'failed');
    for (const name of ['List-Unsubscribe', 'References', 'X-GitLab-NotificationReason']) {
      assert.equal(mail.headers[name], undefined, name);
    }
  });

  it('names the branch of the merge request that it ran for', async () => {
    const act = { ref: 'refs/merge-requests/7/head', sourceBranch: 'work', by: '!7' };
    const { subject, headers, text } = await sent(aPipelineNotice({ act }));
    assert.equal(subject, 'App | Failed pipeline for work | abcdef01');
    assert.equal(headers['X-GitLab-Pipeline-Ref'], act.ref);
    assert.match(text, /^Pipeline #31 for work \(!7\) has failed\.\n\nhttps:/);
  });

  it('says when it is fixed', async () => {
    const mail = await sent(aPipelineNotice({ kind: 'fixed_pipeline' }));
    assert.equal(mail.subject, 'App | Fixed pipeline for main | abcdef01');
  });
});

describe('every mail', () => {
  const KINDS: NoticeKind[] = [
    'new_note',
    'new_issue',
    'reopen_issue',
    'close_issue',
    'reassign_issue',
    'issue_due',
    'new_merge_request',
    'push_to_merge_request',
    'reopen_merge_request',
    'close_merge_request',
    'reassign_merge_request',
    'change_reviewer_merge_request',
    'merge_merge_request',
    'failed_pipeline',
    'fixed_pipeline',
    'success_pipeline',
    'moved_project',
    'merge_when_pipeline_succeeds',
    'mentioned_in_issue',
    'mentioned_in_merge_request',
    'relabel_issue',
    'relabel_merge_request',
    'change_milestone_issue',
    'change_milestone_merge_request',
    'change_draft_merge_request',
    'approve_merge_request',
    'unapprove_merge_request',
    'resolve_all_discussions',
    'move_issue',
    'clone_issue',
  ];

  it('says what has happened, each kind in words of its own', () => {
    const sentences = KINDS.map((kind) => sentenceOf(aNotice({ kind, act: {} })));
    assert.equal(new Set(sentences.map((text) => text.replace(/merge request|issue/g, ''))).size > 20, true);
    for (const sentence of sentences) assert.match(sentence, /^[A-Z].{10,}[^.]$/);
  });

  it('has a foot for each reason', async () => {
    for (const reason of NOTICE_REASONS) {
      const { text } = await sent(aNotice({ reason }));
      assert.match(
        text,
        /because (of your activity|you have been (assigned an item|mentioned)|of your account) on/,
      );
    }
  });

  it('lists what was pushed, and how much more', async () => {
    const commits = [{ id: 'a'.repeat(40), title: 'First <b>' }];
    const act = { commits, commitCount: 21 };
    const { text, html } = await sent(aNotice({ kind: 'push_to_merge_request', act, noteId: null }));
    assert.match(text, /pushed 21 commits to issue #5\./);
    assert.match(text, /\* aaaaaaaa - First <b>\n\* and 20 more/);
    assert.match(html, /<code>aaaaaaaa<\/code> First &lt;b&gt;/);
  });

  it('runs nothing and loads nothing for those who write titles, names and notes', async () => {
    const evil = '"><script>alert(1)</script>\r\nBcc: eve@example.com\r\n\r\n<img src=x onerror=alert(1)>';
    const notice = aNotice();
    const mail = await sent({
      ...notice,
      actor: { id: 2, username: 'ann', name: evil },
      project: { ...notice.project!, name: evil, fullName: evil },
      thing: { ...notice.thing, title: evil, state: evil },
      act: { text: `${evil}\n\n![p](https://spy.example/p.png) [j](javascript:alert(1))`, added: [evil] },
    });
    assert.doesNotMatch(mail.html, /<script|<img|\son\w+=[^&]*>|javascript:alert\(1\)"/i);
    assert.match(mail.html, /<a href="https:\/\/spy\.example\/p\.png">p<\/a>/);
  });
});

describe('List-Id', () => {
  it('is GitLab’s', () => {
    assert.equal(
      listId({ id: 42, path: 'Group/sub/My.App' }, 'gitlab.example.com'),
      'Group/sub/My.App <42.my-app.sub.group.gitlab.example.com>',
    );
  });

  it('keeps to 255 characters', () => {
    const path = Array.from({ length: 20 }, (_, n) => `group-with-a-long-name-${n}`).join('/');
    const id = listId({ id: 42, path }, 'gitlab.example.com');
    assert.ok(id.length <= 255, `${id.length}`);
    assert.match(id, /<42\.group-with-a-long-name-19\..*\.gitlab\.example\.com>$/);
  });
});

describe('Markdown in a mail', () => {
  const render = async (text: string) => (await markdownToHtml(text, BASE)).text;

  it('leads uploads to the service', async () => {
    assert.match(
      await render('[log](/uploads/x/log.txt)'),
      /href="https:\/\/ingot\.test\/uploads\/x\/log\.txt"/,
    );
    assert.match(
      await render('![shot](/uploads/x/s.png)'),
      /<a href="https:\/\/ingot\.test\/uploads\/x\/s\.png">shot/,
    );
  });

  it('is shown as it was written where reading it would take long', async () => {
    for (const text of [
      '['.repeat(5000),
      '*a '.repeat(5000),
      'http://a.b '.repeat(1800),
      'a\n\n'.repeat(6000),
    ]) {
      assert.match(await render(text), /^<pre>/);
    }
    assert.match(await render('words, '.repeat(2800)), /^<p>/);
  });
});
