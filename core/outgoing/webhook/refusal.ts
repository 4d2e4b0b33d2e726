/** What client-go says about responses that are no success. */
import { textOfCode } from '../../answers/server-response.ts'
import { isText } from './content-type.ts'
import { parseAnswer } from './parse-answer.ts'
import { maxTextLength, shortText } from './short-text.ts'

/** client-go takes no code behind this one (Partial Content) for a success. */
const lastSuccess = 206

export const isSuccess = (code: number): boolean => code >= 200 && code <= lastSuccess

/** The message of a Status; undefined for other texts. */
function messageOfStatus(text: string): string | undefined {
  try {
    const { kind, apiVersion, status, message } = parseAnswer(text) as { [name: string]: unknown }
    return kind === 'Status' && apiVersion === 'v1' && status !== 'Success' ? String(message ?? '') : undefined
  } catch {
    return undefined
  }
}

/** Why a response with this code, text and content type is no success. */
export const refusalText = (code: number, text: string, contentType: string): string => {
  const said = messageOfStatus(text)
  if (said !== undefined) return shortText(said)
  return textOfCode(code, isText(contentType) ? text.slice(0, maxTextLength).trim() : 'unknown')
}

/** What is said about a success without content. */
export const emptyResponse = (code: number, contentType: string): string =>
  `0-length response with status code: ${code} and content type: ${contentType || 'application/json'}`
