/** The value of `--data-dir` with which nothing is kept on disk. */
export const inMemory = ':memory:'
