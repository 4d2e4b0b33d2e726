/** What client-go says about responses that are no success. */
import { textOfCode } from '../../answers/server-response.ts'
import { ApiError } from '../../answers/status.ts'
import { isText } from './content-type.ts'
import { parseAnswer } from './parse-answer.ts'
import { maxTextLength, shortText } from './short-text.ts'

/** client-go takes no code behind this one (Partial Content) for a success. */
const lastSuccess = 206

export const isSuccess = (code: number): boolean => code >= 200 && code <= lastSuccess

type Said = { readonly [name: string]: unknown }

/** A Status that is no success; undefined for other texts. */
function statusOf(text: string): Said | undefined {
  try {
    const said = parseAnswer(text) as Said
    return said['kind'] === 'Status' && said['apiVersion'] === 'v1' && said['status'] !== 'Success' ? said : undefined
  } catch {
    return undefined
  }
}

const plainText = (text: string, contentType: string) => (isText(contentType) ? text.slice(0, maxTextLength).trim() : 'unknown')

/** Why a response with this code, text and content type is no success. */
export const refusalText = (code: number, text: string, contentType: string): string => {
  const said = statusOf(text)
  if (said !== undefined) return shortText(String(said['message'] ?? ''))
  return textOfCode(code, plainText(text, contentType))
}

const forbiddenCode = 403

/** A response that forbids, as an error of its own, which is not wrapped in another (apimachinery's IsForbidden); undefined for other responses. */
export function forbiddenBy(code: number, text: string, contentType: string): ApiError | undefined {
  const said = statusOf(text)
  if (said !== undefined)
    return said['reason'] === 'Forbidden' ? new ApiError('Forbidden', shortText(String(said['message'] ?? ''))) : undefined
  if (code !== forbiddenCode) return undefined
  const message = plainText(text, contentType)
  return new ApiError('Forbidden', message, { causes: [{ reason: 'UnexpectedServerResponse', message }] })
}

/** What is said about a success without content. */
export const emptyResponse = (code: number, contentType: string): string =>
  `0-length response with status code: ${code} and content type: ${contentType || 'application/json'}`
