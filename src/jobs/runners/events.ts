declare module '../../platform/events/event.ts' {
  interface EventTypes {
    /** In the stream `runner:<id>`. What it may take, or whether it may take any, is not what it was; or it is gone. */
    'runner.updated': { runnerId: number };
  }
}

export {};
