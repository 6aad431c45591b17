export declare function isValidRefName(fullRef: string): boolean;
export declare function isValidBranchName(name: string): boolean;
