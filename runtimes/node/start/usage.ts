/** What this process uses: by Node's own count, and from procfs (proc(5)) where there is one. */
import { readdirSync, readFileSync } from 'node:fs'
import type { ProcessUsage } from '../../../core/ports.ts'

/** The text of a file of procfs; undefined: there is none, or it may not be read. */
function procfs(name: string): string | undefined {
  try {
    return readFileSync(`/proc/self/${name}`, 'utf8')
  } catch {
    return undefined
  }
}

/** The soft limit with this name; -1: unlimited. */
function limit(name: string): number | undefined {
  const line = procfs('limits')
    ?.split('\n')
    .find((each) => each.startsWith(name))
  const [soft] = line?.slice(name.length).trim().split(/\s/) ?? []
  return soft === 'unlimited' ? -1 : numberOf(soft)
}

function numberOf(text: string | undefined): number | undefined {
  const number = text === undefined || text === '' ? Number.NaN : Number(text)
  return Number.isFinite(number) ? number : undefined
}

/** A counter of the table `IpExt`: a line of names, then a line of numbers. */
function octets(name: string): number | undefined {
  const [names, numbers] = (procfs('net/netstat') ?? '')
    .split('\n')
    .filter((line) => line.startsWith('IpExt:'))
    .map((line) => line.split(' '))
  return numberOf(numbers?.[names?.indexOf(name) ?? -1])
}

function openFiles(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return undefined
  }
}

/** Size of the address space in bytes: field 23 of `stat`, counted after the name of the command, which may contain spaces. */
function virtualBytes(): number | undefined {
  const stat = procfs('stat')
  return numberOf(stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[20])
}

export const nodeUsage: ProcessUsage = {
  cpuSeconds() {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  },
  residentBytes: () => process.memoryUsage.rss(),
  virtualBytes,
  virtualBytesLimit: () => limit('Max address space'),
  openFiles,
  openFilesLimit: () => limit('Max open files'),
  receivedBytes: () => octets('InOctets'),
  sentBytes: () => octets('OutOctets'),
  // Not on every runtime that runs this file.
  waiting: () => (process as Partial<Pick<NodeJS.Process, 'getActiveResourcesInfo'>>).getActiveResourcesInfo?.().length,
}
