import { memoryOf } from '../lib/ingot.ts';
import { getOk, median, ms, now, quantile, type Row, run, timed, times } from '../lib/measure.ts';
import type { Zoekt } from '../lib/zoekt.ts';
import type { Bench } from '../search.ts';
import { QUESTIONS, type Question, RARE, randomQuestions } from './queries.ts';

const WARM_RUNS = 15;

/** Address of the first 20 hits of a question. */
export const asked = ({ ingot, project }: Bench, { ours, regex }: Question): string =>
  `${ingot.url}/api/v4/projects/${project}/search?scope=blobs&search=${encodeURIComponent(ours)}${regex ? '&regex=true' : ''}`;

/** Each of the questions, warm and cold, against Zoekt's web server, and the rare ones against `git grep`. */
export async function questionRows(bench: Bench): Promise<Row[]> {
  const { zoekt } = bench;
  const rows: Row[] = [];
  const cold = zoekt && (await coldRatios(bench, zoekt));
  for (const question of QUESTIONS) {
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let i = 0; i < WARM_RUNS; i++) {
      ours.push(await ask(bench, question));
      if (zoekt) theirs.push(await timed(() => zoekt.search(question.theirs)));
    }
    // The first of each finds its caches empty.
    const p50 = median(ours.slice(3));
    if (zoekt) {
      rows.push(against(question.ours, 'warm', { ours: p50, theirs: median(theirs.slice(3)), goal: 0.8 }));
      rows.push(against(question.ours, 'cold', { ...cold!.get(question)!, goal: question.regex ? 2 : 0.8 }));
    }
    if (RARE.includes(question.ours)) rows.push(await againstGrep(bench, question, p50));
  }
  return rows;
}

const ask = ({ ingot, ...bench }: Bench, question: Question) =>
  timed(() => getOk(asked({ ingot, ...bench }, question), ingot.headers));

/** Each question once, of servers that were just started, three times over. */
async function coldRatios(bench: Bench, zoekt: Zoekt) {
  const found = new Map(
    QUESTIONS.map((question) => [question, { ours: [] as number[], theirs: [] as number[] }]),
  );
  for (let round = 0; round < 3; round++) {
    await bench.ingot.restart();
    await zoekt.restart();
    await bench.indexed();
    for (const [question, { ours, theirs }] of found) {
      ours.push(await ask(bench, question));
      theirs.push(await timed(() => zoekt.search(question.theirs)));
    }
  }
  return new Map(
    [...found].map(([question, { ours, theirs }]) => [
      question,
      { ours: median(ours), theirs: median(theirs) },
    ]),
  );
}

function against(
  text: string,
  state: string,
  { ours, theirs, goal }: { ours: number; theirs: number; goal: number },
): Row {
  const ratio = ours / theirs;
  return {
    what: `\`${text.replaceAll('|', '\\|')}\`, ${state}`,
    ours: ms(ours),
    theirs: `${ms(theirs)} (Zoekt)`,
    ratio: times(ratio),
    goal: `under ${goal}x`,
    met: ratio < goal,
  };
}

async function againstGrep({ bare }: Bench, { ours: text }: Question, p50: number): Promise<Row> {
  const grep = ['grep', '-n', '-I', '-i', '-F', '-e', text, 'main'];
  const took = await timed(() =>
    run('git', grep, { cwd: bare }).catch(() => 'git says 1 when there is none'),
  );
  return {
    what: `\`${text}\` against git grep`,
    ours: ms(p50),
    theirs: `${ms(took)} (git grep)`,
    ratio: `${Math.round(took / p50)}x as fast`,
    goal: 'over 100x',
    met: took / p50 > 100,
  };
}

/** 300 questions that nobody chose, each once: warm servers, whose caches have not seen them. */
export async function randomRows(bench: Bench): Promise<Row[]> {
  const { zoekt, bare } = bench;
  if (!zoekt) return [];
  const text = await run(
    'git',
    ['grep', '-h', '-I', '-e', '[a-z_]\\{9\\}', 'main', '--', 'drivers/net', 'kernel', 'fs'],
    {
      cwd: bare,
    },
  );
  const questions = randomQuestions(
    text.split('\n').filter((line) => line.length < 120),
    300,
  );
  const ours: number[] = [];
  const theirs: number[] = [];
  for (const question of questions) {
    ours.push(await ask(bench, question));
    theirs.push(await timed(() => zoekt.search(question.theirs)));
  }
  return (
    [
      [0.5, 1],
      [0.9, 1],
      [0.99, 2],
    ] as const
  ).map(([q, goal]) =>
    against(`300 random queries`, `p${q * 100}`, {
      ours: quantile(ours, q),
      theirs: quantile(theirs, q),
      goal,
    }),
  );
}

/** What both hold once they have answered all that. */
export async function memoryRow({ ingot, zoekt }: Bench): Promise<Row[]> {
  if (!zoekt) return [];
  const ours = memoryOf(ingot.pid);
  const theirs = memoryOf(zoekt.pid());
  return [
    {
      what: 'memory after these searches',
      ours: `${ours.toFixed(0)} MB`,
      theirs: `${theirs.toFixed(0)} MB (Zoekt)`,
      ratio: times(ours / theirs),
      goal: 'under 0.35x',
      met: ours / theirs < 0.35,
    },
  ];
}

/** Ten files changed by one push: until a word of them is found. */
export async function pushRow(bench: Bench): Promise<Row[]> {
  const { ingot, project } = bench;
  const took: number[] = [];
  for (let round = 0; round < 10; round++) {
    const word = `fresh_word_${round}_of_the_bench`;
    const actions = Array.from({ length: 10 }, (_, i) => ({
      action: round === 0 ? 'create' : 'update',
      file_path: `bench/pushed-${i}.c`,
      content: `/* ${word} ${i} */\n`,
    }));
    await ingot.api('POST', `/projects/${project}/repository/commits`, {
      branch: 'main',
      commit_message: word,
      actions,
    });
    const begin = now();
    // The index has it once it stands still; a search alone would also be answered by git.
    await bench.indexed();
    took.push(now() - begin);
    const hits = JSON.parse(
      (await getOk(asked(bench, { ours: word, theirs: '' }), ingot.headers)).toString(),
    );
    if (hits.length !== 10) throw new Error(`${hits.length} hits of ${word}`);
  }
  const p50 = median(took.slice(1));
  return [
    {
      what: 'a push of 10 files until it is indexed',
      ours: ms(p50),
      theirs: '-',
      ratio: '-',
      goal: 'under 100 ms',
      met: p50 < 100,
    },
  ];
}
