import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import type { Reply, TestService } from '../../../../test/support/service.ts';

const BOUNDARY = '------------------------d74496d66958873e';

/** A form as curl writes it; `end: false` leaves its last line away. */
export function formOf(
  file: Buffer,
  { name = 'file', filename = 'artifacts.zip', fields = {} as Record<string, string>, end = true } = {},
): Buffer {
  const parts = Object.entries(fields).map(
    ([key, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`,
  );
  const head =
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\n` +
    'Content-Type: application/octet-stream\r\n\r\n';
  return Buffer.concat([
    Buffer.from(parts.join('') + head),
    file,
    Buffer.from(end ? `\r\n--${BOUNDARY}--\r\n` : ''),
  ]);
}

export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** As a runner uploads, with its options in the query. */
export const upload = (
  service: TestService,
  { job, token }: { job: { id: number }; token: string },
  file: Buffer,
  { query = {}, form = {} }: { query?: Record<string, unknown>; form?: Parameters<typeof formOf>[1] } = {},
): Promise<Reply> =>
  service.api('POST', `/jobs/${job.id}/artifacts`, {
    token: null,
    query,
    payload: formOf(file, form),
    headers: { 'job-token': token, 'content-type': FORM_TYPE },
  });

/** A zip with these files; a name that ends with a slash is a folder. */
export async function zipOf(files: Record<string, string | Buffer>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [path, content] of Object.entries(files)) {
    if (path.endsWith('/')) zip.addEmptyDirectory(path);
    else zip.addBuffer(Buffer.from(content), path, { compress: true });
  }
  zip.end();
  return buffer(zip.outputStream);
}
