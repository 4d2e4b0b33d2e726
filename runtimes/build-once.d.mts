/** `what` is printed; `output` is a file or directory; `digest` is the file that tells what it was built from; `salt` stands for all but sources. */
export function buildOnce(
  built: { readonly what: string; readonly output: string; readonly digest: string; readonly salt?: string },
  build: () => void | Promise<void>,
): Promise<void>
