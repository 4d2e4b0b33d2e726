/** The program: its commands, and the server. What each of them needs is loaded when it runs: etcd starts without the server. */
import { messageOf } from '../../../core/schema/message-of.ts'
import { type Orders, ordersOfThread } from '../workers/orders.ts'
import { runCommand } from './commands.ts'

/**
 * The whole program. Returns the exit status; a server, of the API or of etcd's, calls `serves` when it is ready and runs until SIGINT or SIGTERM.
 */
export async function main(argv: readonly string[], program: string, serves: () => void = () => undefined): Promise<number> {
  const orders = ordersOfThread()
  if (orders) return work(orders)
  try {
    const status = await runCommand(argv, program, serves)
    if (status !== undefined) return status
    const { serve } = await import('./serve.ts')
    return await serve(argv[0] === 'help' ? ['--help'] : argv, program, serves)
  } catch (error) {
    process.stderr.write(`error: ${messageOf(error).replaceAll(/\s*\n\s*/g, ' ')}\n`)
    return 1
  }
}

async function work(orders: Orders): Promise<number> {
  const { runWorker } = await import('../workers/worker.ts')
  await runWorker(orders)
  return 0
}
