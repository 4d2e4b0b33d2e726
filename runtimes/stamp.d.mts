/** What a build says about itself: its commit, whether the sources were those of the commit, and when (RFC 3339). */
export function buildStamp(root: string): { readonly gitCommit: string; readonly gitTreeState: string; readonly buildDate: string }
