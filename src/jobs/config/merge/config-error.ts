/** A configuration that cannot be put together; its message, in GitLab's words, is all there is to say of it. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}
