import { messageOf } from '../../../core/schema/message-of.ts'

/** The exit status of a run; an error that ends it is printed in one line. */
export async function exitStatus(run: () => Promise<number>): Promise<number> {
  try {
    return await run()
  } catch (error) {
    process.stderr.write(`error: ${messageOf(error).replaceAll(/\s*\n\s*/g, ' ')}\n`)
    return 1
  }
}
