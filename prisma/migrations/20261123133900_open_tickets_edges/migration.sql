-- CreateIndex
CREATE INDEX "tickets_status_id_idx" ON "tickets"("status", "id");
