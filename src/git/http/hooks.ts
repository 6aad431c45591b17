import { randomUUID } from 'node:crypto';
import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The hooks that receive-pack runs. They decide nothing: they hand its questions to the service over sockets that
 * receive-pack inherited from it, and its answers back. Nothing to connect to, no secret in the environment, and a service
 * that is gone means an end of file, which each hook takes for a refusal.
 */

/** File descriptors in receive-pack and in its hooks. Both are sockets, read and written. */
export const QUESTIONS_FD = 3;
export const PROC_RECEIVE_FD = 4;
/** How many there are, for GitRunner.spawn. */
export const HOOK_PIPES = 2;

/** Sends its name, the quarantine folder, its input and an empty line; then reads `|text` for the client until `accept` or `refuse`. */
const lineHook = (name: string) => `#!/bin/sh
printf '${name} %s\\n' "\${GIT_QUARANTINE_PATH-}" >&${QUESTIONS_FD} || exit 1
cat >&${QUESTIONS_FD} || exit 1
echo >&${QUESTIONS_FD} || exit 1
while IFS= read -r line <&${QUESTIONS_FD}; do
  case $line in
    accept) exit 0 ;;
    refuse) exit 1 ;;
    *) printf '%s\\n' "\${line#|}" >&2 ;;
  esac
done
exit 1
`;

/** The background half gets its input by another number, because a shell gives /dev/null to what it puts into the background. */
const procReceive = `#!/bin/sh
exec 5<&0
cat <&5 5<&- >&${PROC_RECEIVE_FD} &
exec cat <&${PROC_RECEIVE_FD} 5<&-
`;

const HOOKS: Record<string, string> = {
  'pre-receive': lineHook('pre-receive'),
  'proc-receive': procReceive,
  'post-receive': lineHook('post-receive'),
};

/** Writes the hooks into a folder that only this service may use, replacing what an older version left there. */
export async function writeHooks(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await chmod(directory, 0o700);
  for (const [name, script] of Object.entries(HOOKS)) {
    // A rename, because another process of the service may be running the old file at this moment.
    const draft = join(directory, `.${name}.${randomUUID()}`); // two containers may have the same process id
    await writeFile(draft, script, { mode: 0o755 });
    await chmod(draft, 0o755);
    await rename(draft, join(directory, name));
  }
}
