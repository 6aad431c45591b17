import { Agent, request } from 'node:http';

/** The calls of a runner without anything that executes: the same against the service and against a bare Fastify app. */

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

let agent = new Agent({ keepAlive: true });

/** Before each round: a server closes connections that were idle while another one was measured. */
export function connectAnew(): void {
  agent.destroy();
  agent = new Agent({ keepAlive: true });
}

export function send(
  method: string,
  url: string,
  headers: Record<string, string | number>,
  body: Buffer,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(
      url,
      { agent, method, headers: { ...headers, 'content-length': body.length } },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.once('error', reject);
        answer.once('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: Buffer.concat(chunks),
          }),
        );
      },
    );
    asked.once('error', reject);
    asked.end(body);
  });
}

const JSON_TYPE = { 'content-type': 'application/json' };
const FEATURES = {
  refspecs: true,
  upload_multiple_artifacts: true,
  cancel_gracefully: true,
  trace_checksum: true,
};
const PIECE = Buffer.from('a line of a log, as long as they are\n'.repeat(110)).subarray(0, 4096);
const PIECES = 20;
const BOUNDARY = 'bench';
const ARCHIVE = Buffer.concat([
  Buffer.from(
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="artifacts.zip"\r\ncontent-type: application/octet-stream\r\n\r\n`,
  ),
  Buffer.alloc(1024 * 1024, 'x'),
  Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
]);

export const STEPS = ['take', 'begin', 'log', 'upload', 'finish'] as const;
export type Step = (typeof STEPS)[number];

/** One call of the protocol, timed by whoever runs it; throws for another answer than this. */
export type Timed = (step: Step, expected: number, call: () => Promise<Answer>) => Promise<Answer>;

/** Takes a job, sends its log in 20 pieces and an archive of 1 MB, ends it. */
export async function doJob(api: string, token: string, timed: Timed): Promise<void> {
  const json = (value: unknown) => Buffer.from(JSON.stringify(value));
  const question = json({ token, system_id: 's_bench', info: { features: FEATURES } });
  const taken = await timed('take', 201, () => send('POST', `${api}/jobs/request`, JSON_TYPE, question));
  const job = JSON.parse(taken.body.toString()) as { id: number; token: string };
  const url = `${api}/jobs/${job.id}`;
  const proof = { 'job-token': job.token };
  const put = (state: string) => () =>
    send('PUT', url, { ...proof, ...JSON_TYPE }, json({ token: job.token, state }));
  await timed('begin', 200, put('running'));
  for (let piece = 0; piece < PIECES; piece++) {
    const start = piece * PIECE.length;
    const range = { 'content-range': `${start}-${start + PIECE.length - 1}`, 'content-type': 'text/plain' };
    await timed('log', 202, () => send('PATCH', `${url}/trace`, { ...proof, ...range }, PIECE));
  }
  const type = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
  // archives are looked into, and this one is no zip: a report is as long and is stored as it is
  const upload = `${url}/artifacts?artifact_format=raw&artifact_type=sast`;
  await timed('upload', 201, () => send('POST', upload, { ...proof, ...type }, ARCHIVE));
  await timed('finish', 200, put('success'));
}
