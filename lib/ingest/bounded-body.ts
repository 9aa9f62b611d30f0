import { BodyFault, type Pages, receiveBody } from "@/lib/admission/arriving-body";
import type { HeldBytes } from "@/lib/admission/bodies";
import { ApiError } from "@/lib/api/api-error";

/** Ends the connection instead of waiting for the rest of a body that does not arrive. */
const CLOSE = { Connection: "close" };

/** @throws ApiError 415 unless the body is plain JSON by its headers. */
export function requireJson(headers: Headers): void {
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/json" || headers.has("content-encoding")) {
    throw new ApiError(415, "Send JSON, uncompressed, with Content-Type: application/json.");
  }
}

/** @throws ApiError 400 when the bytes are no UTF-8. */
export function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ApiError(400, "The body is not UTF-8.");
  }
}

/** Receives a body. @throws ApiError 413 with the hint, 408, 400. @throws BusyError */
export async function receive(request: Request, held: HeldBytes, maxBytes: number, hint = ""): Promise<Pages> {
  try {
    return await receiveBody(request, held, maxBytes);
  } catch (error) {
    if (!(error instanceof BodyFault)) throw error;
    const { status, message } = error;
    throw status === 413 ? new ApiError(status, withHint(message, hint)) : new ApiError(status, message, CLOSE);
  }
}

export function withHint(message: string, hint: string): string {
  return hint ? `${message} ${hint}` : message;
}
