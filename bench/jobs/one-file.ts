import { ZipFile } from 'yazl';
import type { ArtifactBench } from '../jobs-artifacts.ts';
import { fetchOk, median, ms, type Row, sequential, times } from '../lib/measure.ts';
import { takeJobs } from './take-job.ts';

const CONTENT = Buffer.from('the content of one file out of many\n'.repeat(50));
const ROUNDS = 5;

/** One file out of an archive of 100,000 and of 10, when both have been asked before. */
export async function oneFileRow({ ingot }: ArtifactBench): Promise<Row[]> {
  await ingot.api('PUT', '/application/settings', { max_artifacts_size: 5000 });
  const [many, few] = await takeJobs(ingot, 2, 'archives');
  const urls: string[] = [];
  for (const [job, files] of [
    [many!, 100_000],
    [few!, 10],
  ] as const) {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(await archiveOf(files))]), 'artifacts.zip');
    const url = `${ingot.url}/api/v4/jobs/${job.id}/artifacts`;
    await fetchOk(url, { method: 'POST', headers: { 'job-token': job.token }, body: form });
    urls.push(`${ingot.url}/api/v4/projects/${job.project}/jobs/${job.id}/artifacts/folder/file-5.txt`);
  }
  const [ofMany, ofFew] = urls as [string, string];
  for (const url of urls) await sequential(url, ingot.headers);
  const rounds: [number, number][] = [];
  for (let i = 0; i < ROUNDS; i++) {
    rounds.push([await sequential(ofMany, ingot.headers), await sequential(ofFew, ingot.headers)]);
  }
  const ratio = median(rounds.map(([a, b]) => a / b));
  return [
    {
      what: 'one file out of an archive of 100,000',
      ours: ms(median(rounds.map(([a]) => a))),
      theirs: `${ms(median(rounds.map(([, b]) => b)))} (of 10)`,
      ratio: times(ratio),
      goal: 'under 3x',
      met: ratio < 3,
    },
  ];
}

async function archiveOf(files: number): Promise<Buffer> {
  const zip = new ZipFile();
  for (let i = 0; i < files; i++) zip.addBuffer(CONTENT, `folder/file-${i}.txt`, { compress: false });
  zip.end();
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
