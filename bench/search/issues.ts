import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Ingot } from '../lib/ingot.ts';
import { getOk, ms, paired, type Row, times } from '../lib/measure.ts';

const ISSUES = 200_000;
const WORDS =
  'the pipeline fails when a runner takes its job while another one waits for the lock of this branch and nobody looks'.split(
    ' ',
  );

/** Issues with descriptions of a kilobyte: a search for a word of one of them, and for one of all, against a list of 20 by key. */
export async function issueRows(): Promise<Row[]> {
  const ingot = await Ingot.start();
  try {
    const project = await ingot.api<{ id: number }>('POST', '/projects', { name: 'issues' });
    await ingot.pauseFor(() => insertIssues(join(ingot.dataDir, 'ingot.db'), project.id));
    const list = `${ingot.url}/api/v4/projects/${project.id}/issues`;
    const rows: Row[] = [];
    for (const [what, word, hits] of [
      ['rare', 'zebra77777', 1],
      ['common', 'pipeline', 20],
      ['absent', 'nowhere-to-be-found', 0],
    ] as const) {
      const url = `${ingot.url}/api/v4/search?scope=issues&search=${word}`;
      const ask = async () => {
        const found: unknown[] = JSON.parse((await getOk(url, ingot.headers)).toString());
        if (found.length !== hits) throw new Error(`${found.length} hits of ${word}`);
      };
      await paired(20, ask, () => getOk(list, ingot.headers));
      const { a, b, ratio } = await paired(100, ask, () => getOk(list, ingot.headers));
      rows.push({
        what: `a ${what} word in ${ISSUES.toLocaleString('en')} issues`,
        ours: ms(a),
        theirs: `${ms(b)} (a list of 20)`,
        ratio: times(ratio),
        goal: 'under 10x',
        met: ratio < 10,
      });
    }
    return rows;
  } finally {
    await ingot.stop();
  }
}

/** Through the tables, while the service rests: by the API it would take a quarter of an hour. The indexes follow by themselves. */
function insertIssues(file: string, projectId: number): void {
  const database = new DatabaseSync(file);
  const author = database.prepare('select id from users order by id limit 1').get()?.['id'] as number;
  const insert = database.prepare(
    `insert into issues (iid, project_id, title, description, author_id, created_at, updated_at)
     values (?, ?, ?, ?, ?, ?, ?)`,
  );
  const start = Date.now() - ISSUES * 1000;
  database.exec('begin');
  for (let i = 1; i <= ISSUES; i++) {
    let description = i % 1000 === 777 ? `zebra${i} ` : '';
    for (let w = 0; description.length < 1000; w++)
      description += `${WORDS[(i * 7 + w * (1 + (i % 5))) % WORDS.length]}${w % 9 === 0 ? i : ''} `;
    insert.run(i, projectId, `Issue ${i}`, description, author, start + i * 1000, start + i * 1000);
  }
  database.exec('commit');
  database.close();
}
