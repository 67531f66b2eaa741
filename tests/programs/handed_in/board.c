#include "board.h"

#include <stdio.h>
#include <string.h>

int read_board(Board *board, const char *path) {
    FILE *file = fopen(path, "r");
    memset(board, 0, sizeof *board);
    if (file == NULL || fscanf(file, "%d %d", &board->rows, &board->columns) != 2) return 0;
    for (int row = 0; row < board->rows; row++)
        for (int column = 0; column < board->columns; column++) {
            int cell = 0;
            if (fscanf(file, "%2d", &cell) != 1) return 0;
            board->fish[row][column] = cell / 10;
            board->penguin[row][column] = cell % 10;
        }
    while (board->players < 10 && fscanf(file, "%255s %d %d", board->id[board->players], &board->number[board->players],
                                         &board->score[board->players]) == 3)
        board->players++;
    fclose(file);
    return 1;
}

int write_board(const Board *board, const char *path) {
    FILE *file = fopen(path, "w");
    if (file == NULL) return 0;
    fprintf(file, "%d %d\n", board->rows, board->columns);
    for (int row = 0; row < board->rows; row++) {
        for (int column = 0; column < board->columns; column++)
            fprintf(file, "%d%d ", board->fish[row][column], board->penguin[row][column]);
        fprintf(file, "\n");
    }
    for (int player = 0; player < board->players; player++)
        fprintf(file, "%s %d %d\n", board->id[player], board->number[player], board->score[player]);
    return fclose(file) == 0;
}

int player_called(Board *board, const char *id) {
    for (int player = 0; player < board->players; player++)
        if (strcmp(board->id[player], id) == 0) return player;
    return -1;
}

int is_free(const Board *board, int row, int column) {
    return row >= 0 && row < board->rows && column >= 0 && column < board->columns && board->fish[row][column] > 0 &&
           board->penguin[row][column] == 0;
}
