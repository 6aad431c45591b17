/** Decoded chunks of all segments that share it, the least recently used dropped first; bounded by bytes. */
export class FrameCache {
  constructor(_bytes: number) {}
}
