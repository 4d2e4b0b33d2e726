/** Profiles of V8 (Chrome DevTools protocol, domains Profiler and HeapProfiler) as stacks. */
import type { HeapProfiler, Profiler } from 'node:inspector'
import type { StackFrame, StackProfile } from '../../../core/ports.ts'
import { type Call, originalFrames } from './original-frames.ts'

const isIdle = (name: string) => name === '(idle)' || name === '(root)'

/** The samples of a CPU profile: their nodes, and the microseconds that each took. */
function samplesOf({
  samples = [],
  timeDeltas = [],
  endTime,
  startTime,
}: Profiler.Profile): readonly (readonly [node: number, time: number])[] {
  let at = startTime + (timeDeltas[0] ?? 0)
  return samples.map((node, index) => {
    const next = index + 1 < samples.length ? at + (timeDeltas[index + 1] ?? 0) : endTime
    const time = Math.max(0, next - at)
    at = next
    return [node, time]
  })
}

/** Stacks of all nodes by ID, the innermost frame first, without the root. */
async function stacksOf(nodes: readonly Profiler.ProfileNode[]): Promise<ReadonlyMap<number, readonly StackFrame[]>> {
  const frameOf = await originalFrames(nodes.map(({ callFrame }) => callFrame))
  const stacks = new Map<number, readonly StackFrame[]>()
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const pending = nodes.slice(0, 1).map((node) => [node, [] as readonly StackFrame[]] as const)
  for (const [node, outer] of pending) {
    const isRoot = node.callFrame.functionName === '(root)'
    const frames = isRoot ? outer : [frameOf(node.callFrame), ...outer]
    stacks.set(node.id, frames)
    for (const id of node.children ?? []) {
      const child = byId.get(id)
      if (child !== undefined) pending.push([child, frames])
    }
  }
  return stacks
}

const idleNodes = (nodes: readonly Profiler.ProfileNode[]) =>
  new Set(nodes.filter(({ callFrame }) => isIdle(callFrame.functionName)).map(({ id }) => id))

const named = (stacks: ReadonlyMap<number, readonly StackFrame[]>, sums: ReadonlyMap<number, readonly number[]>) =>
  Array.from(sums, ([node, values]) => ({ frames: stacks.get(node) ?? [], values })).filter(({ frames }) => frames.length > 0)

const nanoseconds = (microseconds: number) => microseconds * 1000

/** Time in functions. `interval`: microseconds between samples. */
export async function cpuStacks(profile: Profiler.Profile, interval: number): Promise<StackProfile> {
  const idle = idleNodes(profile.nodes)
  const sums = new Map<number, [samples: number, time: number]>()
  for (const [node, time] of samplesOf(profile)) {
    if (idle.has(node)) continue
    const [samples, spent] = sums.get(node) ?? [0, 0]
    sums.set(node, [samples + 1, spent + nanoseconds(time)])
  }
  return {
    types: [
      { type: 'samples', unit: 'count' },
      { type: 'cpu', unit: 'nanoseconds' },
    ],
    stacks: named(await stacksOf(profile.nodes), sums),
    period: { type: 'cpu', unit: 'nanoseconds', value: nanoseconds(interval) },
    nanoseconds: nanoseconds(profile.endTime - profile.startTime),
  }
}

/**
 * Turns of the event loop that took longer than `threshold` microseconds: samples between which the thread was never idle. Each turn counts at
 * the stack that it spent most time in.
 */
export async function delayStacks(profile: Profiler.Profile, threshold: number): Promise<StackProfile> {
  const idle = idleNodes(profile.nodes)
  const sums = new Map<number, [contentions: number, delay: number]>()
  let turn = new Map<number, number>()
  const end = () => {
    const times = [...turn].sort(([, one], [, other]) => other - one)
    if (times.reduce((sum, [, time]) => sum + time, 0) > threshold)
      for (const [rank, [node, time]] of times.entries()) {
        const [contentions, delay] = sums.get(node) ?? [0, 0]
        sums.set(node, [contentions + (rank === 0 ? 1 : 0), delay + nanoseconds(time)])
      }
    turn = new Map()
  }
  for (const [node, time] of samplesOf(profile)) {
    if (idle.has(node)) end()
    else turn.set(node, (turn.get(node) ?? 0) + time)
  }
  end()
  return {
    types: [
      { type: 'contentions', unit: 'count' },
      { type: 'delay', unit: 'nanoseconds' },
    ],
    stacks: named(await stacksOf(profile.nodes), sums),
    period: { type: 'contentions', unit: 'count', value: 1 },
    nanoseconds: nanoseconds(profile.endTime - profile.startTime),
  }
}

/** Allocated bytes. `type`: `inuse_space` or `alloc_space`; `interval`: bytes between samples, on average. */
export async function memoryStacks({ head }: HeapProfiler.SamplingHeapProfile, type: string, interval: number): Promise<StackProfile> {
  const nodes: Placed[] = [{ node: head, outer: [] }]
  for (const placed of nodes) {
    const { node, outer } = placed
    const calls = node.callFrame.functionName === '(root)' ? outer : [node.callFrame, ...outer]
    for (const child of node.children) nodes.push({ node: child, outer: calls })
  }
  const frameOf = await originalFrames(nodes.map(({ node }) => node.callFrame))
  const stacks = nodes.flatMap(({ node: { callFrame, selfSize }, outer }) =>
    selfSize > 0 && callFrame.functionName !== '(root)' ? [{ frames: [callFrame, ...outer].map(frameOf), values: [selfSize] }] : [],
  )
  return { types: [{ type, unit: 'bytes' }], stacks, period: { type: 'space', unit: 'bytes', value: interval } }
}

/** A node with the calls around it, the innermost first. */
interface Placed {
  readonly node: HeapProfiler.SamplingHeapProfileNode
  readonly outer: readonly Call[]
}
