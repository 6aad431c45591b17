import { ZipFile } from 'yazl';
import type { ArtifactBench } from '../jobs-artifacts.ts';
import { fetchOk, median, ms, type Row, sequential, times } from '../lib/measure.ts';
import { takeJobs } from './take-job.ts';

const CONTENT = Buffer.from('the content of one file out of many\n'.repeat(50));
const ROUNDS = 5;

/** One file out of an archive of 100,000 and of 10, when both have been asked before. */
export async function oneFileRow({ ingot }: ArtifactBench): Promise<Row[]> {
  await ingot.api('PUT', '/application/settings', { max_artifacts_size: 5000 });
  // Made first: it takes so long that a connection would be closed meanwhile.
  const archives = [await archiveOf(100_000), await archiveOf(10)];
  const jobs = await takeJobs(ingot, archives.length, 'archives');
  const urls: string[] = [];
  for (const [i, { id, token, project }] of jobs.entries()) {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(archives[i]!)]), 'artifacts.zip');
    const url = `${ingot.url}/api/v4/jobs/${id}/artifacts`;
    await fetchOk(url, { method: 'POST', headers: { 'job-token': token }, body: form });
    urls.push(`${ingot.url}/api/v4/projects/${project}/jobs/${id}/artifacts/folder/file-5.txt`);
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
