/** The result of a remote command, as node agents report it on the error stream (client-go/tools/remotecommand). */

import { quote } from '../../schema/go/quote.ts'
import { isObject } from '../../schema/json/is-object.ts'
import { parseJsonText } from '../../schema/json/text.ts'
import { messageOf } from '../../schema/message-of.ts'

/** Sent to the client as JSON, with the fields in this order. */
export interface CommandStatus {
  readonly metadata: object
  readonly status: 'Success' | 'Failure'
  readonly message?: string
  readonly reason?: string
  readonly details?: { readonly causes: readonly { readonly reason?: string; readonly message: string }[] }
  readonly code?: number
}

const nonZero = 'NonZeroExitCode'
const exitCode = 'ExitCode'

const success: CommandStatus = { metadata: {}, status: 'Success' }

/** Result of a command that failed other than by its exit code. */
export function failedCommand(why: string): CommandStatus {
  const message = `Internal error occurred: ${why}`
  return { metadata: {}, status: 'Failure', message, reason: 'InternalError', details: { causes: [{ message: why }] }, code: 500 }
}

function exited(code: string): CommandStatus {
  const message = `command terminated with non-zero exit code: command terminated with exit code ${code}`
  return { metadata: {}, status: 'Failure', message, reason: nonZero, details: { causes: [{ reason: exitCode, message: code }] } }
}

/** Whether a text is a number up to 255. */
const isExitCode = (text: unknown): text is string => typeof text === 'string' && /^\d{1,3}$/.test(text) && Number(text) < 256

function ofStatus(text: string): CommandStatus {
  const problem = (what: string) => failedCommand(`error stream protocol error: ${what}`)
  let status: unknown
  try {
    status = parseJsonText(text)
  } catch (error) {
    return problem(`${messageOf(error)} in ${quote(text)}`)
  }
  if (!isObject(status)) return problem('unknown error')
  if (status['status'] === 'Success') return success
  if (status['status'] !== 'Failure') return problem('unknown error')
  if (status['reason'] !== nonZero) return failedCommand(String(status['message'] ?? ''))
  const { details } = status
  if (!isObject(details)) return problem('details must be set')
  const causes = (Array.isArray(details['causes']) ? details['causes'] : []).filter(isObject)
  const cause = causes.find(({ reason }) => reason === exitCode)
  if (cause === undefined) return problem(`no ${exitCode} cause given`)
  const { message } = cause
  return isExitCode(message) ? exited(String(Number(message))) : problem(`invalid exit code value ${quote(String(message))}`)
}

/** Result of a command from the text of the error stream. `structured`: the protocol sends a Status there, not plain text. */
export function commandStatus(text: string, structured: boolean): CommandStatus {
  if (text === '') return success
  return structured ? ofStatus(text) : failedCommand(`error executing remote command: ${text}`)
}
