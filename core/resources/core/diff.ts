import { equal } from '../../schema/equal.ts'
import type { Json } from '../../schema/model.ts'

type Node = Json | undefined

function isObject(value: Node): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Lines that are collected: an error shows the first 4 KiB of their text. */
const max = 1_024

function collect(before: Node, after: Node, path: string, lines: string[]): void {
  if (lines.length >= max) return
  if (isObject(before) && isObject(after)) {
    const at = (key: string) => (path === '' ? key : `${path}.${key}`)
    for (const key in before) collect(before[key], after[key], at(key), lines)
    for (const key in after) if (!Object.hasOwn(before, key)) collect(undefined, after[key], at(key), lines)
  } else if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    before.forEach((item, index) => {
      collect(item, after[index], `${path}[${index}]`, lines)
    })
  } else if (!equal(before, after)) {
    if (before !== undefined) lines.push(`- ${path}: ${JSON.stringify(before)}`)
    if (after !== undefined) lines.push(`+ ${path}: ${JSON.stringify(after)}`)
  }
}

/** Differing fields, with a line each for the old and new value; empty when equal. */
export function diff(before: unknown, after: unknown): string {
  const lines: string[] = []
  collect(before as Node, after as Node, '', lines)
  return lines.map((line) => `${line}\n`).join('')
}
