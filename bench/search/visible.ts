import { Ingot } from '../lib/ingot.ts';
import { getOk, ms, paired, type Row, times } from '../lib/measure.ts';
import { indexed } from '../search.ts';

const SEEN = 20;
const ALL = 1000;

/** A search over everything by somebody who sees 20 of 1,000 projects, against one in a service that has but the 20. */
export async function visibleRows(): Promise<Row[]> {
  const few = await Ingot.start();
  const many = await Ingot.start();
  try {
    const headers = { few: await fill(few, SEEN), many: await fill(many, ALL) };
    const rows: Row[] = [];
    for (const word of ['needle', 'common']) {
      const url = (ingot: Ingot) => `${ingot.url}/api/v4/search?scope=blobs&search=${word}`;
      const asks = async (ingot: Ingot, with_: Record<string, string>) => {
        const hits: unknown[] = JSON.parse((await getOk(url(ingot), with_)).toString());
        if (hits.length !== 20) throw new Error(`${hits.length} hits of ${word}`);
      };
      await paired(
        20,
        () => asks(many, headers.many),
        () => asks(few, headers.few),
      );
      const { a, b, ratio } = await paired(
        100,
        () => asks(many, headers.many),
        () => asks(few, headers.few),
      );
      rows.push({
        what: `\`${word}\` over 1,000 projects, 20 of them to be seen`,
        ours: ms(a),
        theirs: `${ms(b)} (the 20 alone)`,
        ratio: times(ratio),
        goal: 'at most 1.5x',
        met: ratio <= 1.5,
      });
    }
    return rows;
  } finally {
    await few.stop();
    await many.stop();
  }
}

/** Private projects of one file each; hands out the headers of somebody who is a member of the first 20 made. */
async function fill(ingot: Ingot, count: number): Promise<Record<string, string>> {
  const user = await ingot.api<{ id: number }>('POST', '/users', {
    email: 'seer@example.com',
    username: 'seer',
    name: 'Seer',
    password: 'of-the-bench-only-1',
  });
  const token = await ingot.api<{ token: string }>('POST', `/users/${user.id}/personal_access_tokens`, {
    name: 'bench',
    scopes: ['api'],
  });
  // Spread over all of them, as memberships are.
  const step = count / SEEN;
  for (let i = 0; i < count; i++) {
    const isSeen = i % step === 0;
    const { id } = await ingot.api<{ id: number }>('POST', '/projects', {
      name: `p${i}`,
      visibility: 'private',
    });
    await ingot.api('POST', `/projects/${id}/repository/commits`, {
      branch: 'main',
      commit_message: 'all',
      actions: [
        {
          action: 'create',
          file_path: 'a.txt',
          content: `common words\n${isSeen ? 'needle' : 'hay'} ${i}\n`,
        },
      ],
    });
    if (isSeen) await ingot.api('POST', `/projects/${id}/members`, { user_id: user.id, access_level: 30 });
  }
  await indexed(ingot);
  return { 'private-token': token.token };
}
