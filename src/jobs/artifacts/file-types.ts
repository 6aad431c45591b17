/** What a job may upload, and how each kind is packed: GitLab's list. A log is sealed by the service itself. */
export const FILE_FORMATS = ['raw', 'zip', 'gzip'] as const;

export type FileFormat = (typeof FILE_FORMATS)[number];

const GZIPPED = [
  'metadata',
  'junit',
  'dotenv',
  'cobertura',
  'jacoco',
  'cyclonedx',
  'annotations',
  'metrics',
  'metrics_referee',
  'network_referee',
  'cluster_applications',
  'repository_xray',
] as const;

const ZIPPED = ['archive', 'lsif', 'scip'] as const;

const RAW = [
  'trace',
  'sast',
  'secret_detection',
  'dependency_scanning',
  'container_scanning',
  'cluster_image_scanning',
  'dast',
  'license_scanning',
  'accessibility',
  'codequality',
  'performance',
  'browser_performance',
  'load_performance',
  'terraform',
  'requirements',
  'requirements_v2',
  'coverage_fuzzing',
  'api_fuzzing',
  'sarif',
] as const;

export const FILE_TYPES = [...ZIPPED, ...GZIPPED, ...RAW] as const;

export type FileType = (typeof FILE_TYPES)[number];

const FORMATS = new Map<string, FileFormat>([
  ...ZIPPED.map((type) => [type, 'zip'] as const),
  ...GZIPPED.map((type) => [type, 'gzip'] as const),
  ...RAW.map((type) => [type, 'raw'] as const),
]);

export const formatOf = (type: FileType): FileFormat => FORMATS.get(type)!;

/** What makes a pipeline's reports, as against what people fetch: all but archive, metadata and log. */
export const REPORT_TYPES: readonly FileType[] = FILE_TYPES.filter(
  (type) => type !== 'archive' && type !== 'metadata' && type !== 'trace',
);
