/** User names of nodes and service accounts. */
import { isLabel, isSubdomain } from '../../schema/formats/name-formats.ts'

const accountPrefix = 'system:serviceaccount:'
const nodePrefix = 'system:node:'

export const serviceAccountName = (namespace: string, name: string) => `${accountPrefix}${namespace}:${name}`

/** Groups of every service account of a namespace. */
export const serviceAccountGroups = (namespace: string) => ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]

/** Namespace and name in a service account's user name; undefined for other or malformed names. */
export function parseServiceAccountName(userName: string): { namespace: string; name: string } | undefined {
  if (!userName.startsWith(accountPrefix)) return undefined
  const [namespace = '', name = '', ...rest] = userName.slice(accountPrefix.length).split(':')
  const valid = namespace.length <= 63 && isLabel(namespace) && name.length <= 253 && isSubdomain(name)
  return valid && rest.length === 0 ? { namespace, name } : undefined
}

/** Node name in a node's user name; undefined for other or malformed names. */
export function parseNodeName(userName: string): string | undefined {
  if (!userName.startsWith(nodePrefix)) return undefined
  const name = userName.slice(nodePrefix.length)
  return name.length <= 253 && isSubdomain(name) ? name : undefined
}
