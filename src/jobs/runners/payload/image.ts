import type { ImagePlan } from '../../config/plan.ts';

/** As the runner decodes it: lists or null, never a text in place of a list. */
export interface ImagePayload {
  name: string;
  alias: string | null;
  entrypoint: string[] | null;
  command: string[] | null;
  ports: [];
  pull_policy: string[] | null;
  executor_opts: { docker?: { platform?: string; user?: string } };
  variables: { key: string; value: string; public: boolean; raw: boolean }[];
}

export const imagePayload = (image: ImagePlan): ImagePayload => ({
  name: image.name,
  alias: image.alias,
  entrypoint: image.entrypoint,
  command: image.command,
  ports: [],
  pull_policy: image.pullPolicy,
  executor_opts: image.docker ? { docker: image.docker } : {},
  variables: image.variables.map(({ key, value, raw }) => ({ key, value, raw, public: true })),
});
