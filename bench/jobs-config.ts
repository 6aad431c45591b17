import { parse } from 'yaml';
import { Ingot } from './lib/ingot.ts';
import { ms, paired, type Row, report, times } from './lib/measure.ts';
import { freshPostgres } from './lib/postgres.ts';

/**
 * A pipeline of 500 jobs with needs, from the request to its answer, against parsing its YAML alone; on both databases.
 *
 *   node bench/jobs-config.ts [sqlite] [postgres]
 */

const JOBS = 500;
const STAGES = ['prepare', 'build', 'test', 'package', 'deploy'];
const WARM_UP = 3;
const RUNS = 12;
const GOAL = 10;

/** A job as people write them, needing two of the stage before. */
function jobText(n: number): string {
  const perStage = JOBS / STAGES.length;
  const stage = Math.floor(n / perStage);
  const lines = [
    `job-${n}:`,
    `  stage: ${STAGES[stage]}`,
    '  extends: .base',
    '  script:',
    `    - make target-${n}`,
    `    - ./check.sh --part ${n}`,
    '  rules:',
    '    - if: $CI_COMMIT_BRANCH =~ /^run-/',
    '    - if: $CI_COMMIT_TAG =~ /^v\\d+/',
    `  artifacts: {paths: [out/${n}], expire_in: 1 week}`,
  ];
  const first = n - perStage;
  const second = first % perStage === 0 ? first + 1 : first - 1;
  if (stage > 0) lines.push(`  needs: [job-${first}, job-${second}]`);
  return `${lines.join('\n')}\n`;
}

const CONFIG = [
  `stages: [${STAGES.join(', ')}]`,
  'variables: {MODE: release}',
  '.base: {image: "alpine:3", before_script: [./prepare.sh], tags: [linux], retry: 1}',
  ...Array.from({ length: JOBS }, (_, n) => jobText(n)),
].join('\n');

async function rowOn(database: string, env: NodeJS.ProcessEnv): Promise<Row> {
  const ingot = await Ingot.start({ env });
  try {
    const { id } = await ingot.api<{ id: number }>('POST', '/projects', { name: 'large' });
    // a text that was read lately is not read again, so each run has one of its own
    for (let run = 0; run < WARM_UP + RUNS; run++) {
      await ingot.api('POST', `/projects/${id}/repository/commits`, {
        branch: `run-${run}`,
        ...(run > 0 && { start_branch: 'run-0' }),
        commit_message: 'Add the pipeline [skip ci]',
        actions: [
          {
            action: run === 0 ? 'create' : 'update',
            file_path: '.gitlab-ci.yml',
            content: `${CONFIG}# ${run}\n`,
          },
        ],
      });
    }
    await ingot.settled();
    let next = 0;
    const begin = async () => {
      await ingot.api('POST', `/projects/${id}/pipeline`, { ref: `run-${next++}` });
    };
    const read = async () => {
      const jobs = Object.keys(parse(CONFIG) as object).length;
      if (jobs < JOBS) throw new Error(`${jobs} jobs`);
    };
    await paired(WARM_UP, begin, read);
    const { a, b, ratio } = await paired(RUNS, begin, read);
    return {
      what: `${database}, a pipeline of ${JOBS} jobs (${Math.round(CONFIG.length / 1000)} kB)`,
      ours: ms(a),
      theirs: `${ms(b)} (its YAML parsed)`,
      ratio: times(ratio),
      goal: `under ${GOAL}x`,
      met: ratio < GOAL,
    };
  } finally {
    await ingot.stop();
  }
}

const wanted = process.argv.slice(2);
const rows: Row[] = [];
if (wanted.length === 0 || wanted.includes('sqlite')) rows.push(await rowOn('SQLite', {}));
if (wanted.length === 0 || wanted.includes('postgres')) {
  await using postgres = await freshPostgres();
  rows.push(await rowOn('PostgreSQL', { DATABASE_URL: postgres.url }));
}
report(rows);
process.exitCode = rows.every(({ met }) => met) ? 0 : 1;
