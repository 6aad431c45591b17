/**
 * By the ending of a name. Nothing that a browser would run is among them: pages and drawings are shown as text, and everything else comes as
 * a download (`nosniff` goes with every answer).
 */
const TYPES: Record<string, string> = {
  txt: 'text/plain',
  log: 'text/plain',
  md: 'text/plain',
  html: 'text/plain',
  htm: 'text/plain',
  xml: 'text/plain',
  svg: 'text/plain',
  yml: 'text/plain',
  yaml: 'text/plain',
  csv: 'text/csv',
  json: 'application/json',
  pdf: 'application/pdf',
  zip: 'application/zip',
  gz: 'application/gzip',
  tar: 'application/x-tar',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

export function contentTypeOf(path: string): string {
  const ending = /\.([a-z0-9]{1,10})$/i.exec(path)?.[1] ?? '';
  return TYPES[ending.toLowerCase()] ?? 'application/octet-stream';
}
