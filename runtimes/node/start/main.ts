/** The program: its commands, and the server. What each of them needs is loaded when it runs. */
import { type Orders, ordersOfThread } from '../workers/orders.ts'
import type { Main } from './command.ts'
import { runCommand } from './commands.ts'
import { exitStatus } from './exit-status.ts'

/** The whole program. */
export const main: Main = async (argv, program, serves = () => undefined) => {
  const orders = ordersOfThread()
  if (orders) return work(orders)
  return exitStatus(async () => {
    const status = await runCommand(argv, program, serves)
    if (status !== undefined) return status
    const { serve } = await import('./serve.ts')
    return await serve(argv[0] === 'help' ? ['--help'] : argv, program, serves)
  })
}

async function work(orders: Orders): Promise<number> {
  const { runWorker } = await import('../workers/worker.ts')
  await runWorker(orders)
  return 0
}
