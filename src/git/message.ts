export declare function commitTitle(message: string): string;
export declare function commitTrailers(message: string): Map<string, string[]>;
